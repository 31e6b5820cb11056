package io.csi4j.client;

import io.csi4j.client.internal.transport.IoThread;
import io.csi4j.client.internal.transport.LogGuard;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

/**
 * The I/O threads of gRPC, for modules of csi4j that open their own connections. On these threads, gRPC and Netty never log frames or texts
 * of the peer at any level, because they may contain secrets (R35).
 */
public final class IoThreads {
    private IoThreads() {}

    /**
     * Returns a factory of daemon threads. These threads must not block.
     *
     * @param prefix the names of the threads without their numbers, for example {@code "csi4j-agent-io-"}
     */
    public static ThreadFactory factory(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        LogGuard.install();
        return IoThread.factory(prefix);
    }
}

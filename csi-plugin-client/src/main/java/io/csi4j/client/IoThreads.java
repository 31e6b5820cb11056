package io.csi4j.client;

import io.csi4j.client.internal.transport.IoThread;
import io.csi4j.client.internal.transport.LogGuard;
import java.util.concurrent.ThreadFactory;

/**
 * The I/O threads of gRPC, for modules of csi4j that open their own connections. On these threads, gRPC and Netty never log frames or texts
 * of the peer at any level, because they may contain secrets (R35).
 */
public final class IoThreads {
    private IoThreads() {}

    /** Returns a factory of daemon threads named {@code csi4j-io-N}. These threads must not block. */
    public static ThreadFactory factory() {
        LogGuard.install();
        return IoThread.factory();
    }
}

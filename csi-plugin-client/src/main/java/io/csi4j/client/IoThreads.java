package io.csi4j.client;

import io.csi4j.client.internal.transport.IoThread;
import io.csi4j.client.internal.transport.LogGuard;
import java.util.concurrent.ThreadFactory;

/**
 * Threads that move the bytes of gRPC, for parts of csi4j that have connections of their own. On them gRPC and Netty
 * write no frame and no text of the other side into their logs, however far those are turned up: they hold secrets
 * (R35).
 */
public final class IoThreads {
    private IoThreads() {}

    /**
     * Makes such threads.
     *
     * @return a factory of daemon threads named {@code csi4j-io-N}; nothing may block them
     */
    public static ThreadFactory factory() {
        LogGuard.install();
        return IoThread.factory();
    }
}

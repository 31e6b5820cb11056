package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that moves bytes for all clients. Nothing of a caller's may run here: what blocks it stops
 * every client.
 */
public final class IoThread extends FastThreadLocalThread {
    private IoThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    public static ThreadFactory factory() {
        AtomicLong count = new AtomicLong();
        return work -> new IoThread(work, "csi4j-io-" + count.incrementAndGet());
    }

    /** Whether the calling thread is one of these. */
    public static boolean isCurrent() {
        return Thread.currentThread() instanceof IoThread;
    }
}

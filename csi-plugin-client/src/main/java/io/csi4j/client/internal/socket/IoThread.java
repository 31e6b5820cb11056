package io.csi4j.client.internal.socket;

import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** An I/O thread of gRPC. Code of callers must not run on it, because that code could block every connection of the thread. */
public final class IoThread extends FastThreadLocalThread {
    private IoThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    /**
     * Returns a factory of daemon threads.
     *
     * @param prefix the names of the threads without their numbers
     */
    public static ThreadFactory factory(String prefix) {
        AtomicLong count = new AtomicLong();
        return work -> new IoThread(work, prefix + count.incrementAndGet());
    }

    public static boolean isCurrent() {
        return Thread.currentThread() instanceof IoThread;
    }
}

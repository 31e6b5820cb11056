package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** An I/O thread that serves all clients. Code of callers must not run on it, because that code could block every client. */
public final class IoThread extends FastThreadLocalThread {
    private IoThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    public static ThreadFactory factory() {
        AtomicLong count = new AtomicLong();
        return work -> new IoThread(work, "csi4j-io-" + count.incrementAndGet());
    }

    public static boolean isCurrent() {
        return Thread.currentThread() instanceof IoThread;
    }
}

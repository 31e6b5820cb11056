package io.csi4j.admin.internal.http;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The few threads that run requests, and those that were woken from a wait. The queue has no limit of its own: each
 * connection has at most one request, and the number of connections is limited.
 */
public final class RequestThreads implements Executor {
    private static final int THREADS = 8;

    private final ThreadPoolExecutor threads;

    /** @param name the beginning of the threads' names */
    public RequestThreads(String name) {
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns a factory of daemon threads with a name and a number. */
    static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Ends the threads. Tasks that have not begun are dropped. */
    public void close() {
        threads.shutdownNow();
    }
}

package io.csi4j.state;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Notifies watchers on separate threads, so that the writer does not wait for the code of a watcher. */
final class Notifier implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Notifier.class.getName());
    private static final int THREADS = 16;

    private final Executor executor;
    private final @Nullable ThreadPoolExecutor own;

    private Notifier(Executor executor, @Nullable ThreadPoolExecutor own) {
        this.executor = executor;
        this.own = own;
    }

    /** Returns a notifier that uses the host's executor; without one, it uses its own threads, which end when they are idle. */
    static Notifier of(@Nullable Executor executor) {
        if (executor != null) {
            return new Notifier(executor, null);
        }
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "csi4j-state-watch-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return new Notifier(pool, pool);
    }

    void run(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            // Runs the notification in the common pool if the executor rejects it: a commit must not fail for this
            // reason, and no watcher may wait forever.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The executor for state watches refuses work; using the common pool",
                    e);
            ForkJoinPool.commonPool().execute(task);
        }
    }

    @Override
    public void close() {
        if (own != null) {
            own.shutdown();
        }
    }
}

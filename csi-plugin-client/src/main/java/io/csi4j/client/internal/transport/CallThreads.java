package io.csi4j.client.internal.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where answers are read and futures are completed, and so where callers' dependent stages run.
 *
 * <p>Not the I/O threads: a stage that blocks there would stop every client, and could wait for ever for
 * an answer that only its own thread can bring. Completing there would save a change of threads, a fifth
 * of a short call's time; that is not worth the trap. The pool grows while stages block and shrinks when they are through.
 */
final class CallThreads {
    private static final long IDLE_SECONDS = 10;

    private static final SharedResource<ExecutorService> POOL =
            new SharedResource<>(CallThreads::newPool, ExecutorService::shutdown);

    private CallThreads() {}

    /** The threads that all clients without an executor of their own share. */
    static SharedResource.Lease<ExecutorService> lease() {
        return POOL.lease();
    }

    private static ExecutorService newPool() {
        AtomicLong count = new AtomicLong();
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                work -> {
                    Thread thread = new Thread(work, "csi4j-call-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                // Only after the last client was closed: an answer must not be lost even then.
                (work, pool) -> work.run());
    }

    /**
     * A caller's executor, made safe: without this a future would never complete once the caller has
     * shut its executor down.
     */
    static Executor guarded(Executor callers, Executor fallback) {
        return work -> {
            try {
                callers.execute(work);
            } catch (RejectedExecutionException refused) {
                fallback.execute(work);
            }
        };
    }
}

package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.socket.SharedResource;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads that decode responses and complete futures. Dependent stages of callers run on these threads.
 *
 * <p>These are not the I/O threads: a stage that blocks an I/O thread would stop every client, and could wait forever for a response that
 * only its own thread can deliver. Completing futures on the I/O threads would make a short call a fifth faster, but is not worth these
 * risks. The pool grows while stages block, and shrinks afterwards.
 */
final class CallThreads {
    private static final long IDLE_SECONDS = 10;

    private static final SharedResource<ExecutorService> POOL =
            new SharedResource<>(CallThreads::newPool, ExecutorService::shutdown);

    private CallThreads() {}

    /** Returns a lease of the threads that all clients without an executor share. */
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
                // A task is rejected only after the last client was closed. The task then runs on the thread that
                // submits it, because no response may be lost.
                (work, pool) -> work.run());
    }

    /** Wraps a caller's executor, so that futures complete even after the caller has shut the executor down. */
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

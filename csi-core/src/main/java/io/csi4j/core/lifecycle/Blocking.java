package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Waits for operations, for programs without futures.
 *
 * <pre>{@code
 * Volume volume = Blocking.get(lifecycle.volumes().create(key, spec));
 * }</pre>
 *
 * <p>An operation of the engine ends within {@link LifecycleOptions#operationTimeout()}, but a claim waits without a
 * time limit.
 */
public final class Blocking {
    private Blocking() {}

    /**
     * Waits for an operation and returns its result.
     *
     * @throws CsiException the failure of the operation
     * @throws InterruptedOperationException if this thread is interrupted; the thread's interrupt flag stays set. The
     *     future is cancelled: a claim is withdrawn, and every other operation continues
     */
    public static <T> T get(CompletableFuture<T> operation) {
        try {
            return operation.get();
        } catch (InterruptedException interrupted) {
            operation.cancel(false);
            Thread.currentThread().interrupt();
            throw new InterruptedOperationException(interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new CsiException("the operation failed for a reason that is no exception of csi4j", failed);
        }
    }
}

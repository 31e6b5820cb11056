package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.call.CsiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for futures. */
final class Waiting {
    private Waiting() {}

    /**
     * Waits for a future and returns its value.
     *
     * @throws RuntimeException the failure of the future
     * @throws InterruptedOperationException if this thread is interrupted; the future is cancelled
     */
    static <T> T on(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            future.cancel(false);
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

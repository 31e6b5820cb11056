package io.csi4j.examples.steps;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls and waits for their responses. A call with an unknown outcome is repeated without a change (R29), but only a few times. While
 * the plugin answers ABORTED because it still works on the call (R33), the call is repeated until the time limit.
 */
public final class CallRetrier {
    private static final int MAX_ATTEMPTS = 3;
    private static final long FIRST_DELAY_MILLIS = 100;
    private static final long MAX_DELAY_MILLIS = 2_000;

    private volatile Duration limit;
    private volatile @Nullable CompletableFuture<?> inFlight;
    private volatile boolean stopped;

    CallRetrier(Duration limit) {
        this.limit = limit;
    }

    /**
     * Sends a call and waits for its response.
     *
     * @param call sends the call
     * @param <T> the type of the response
     * @return the response
     * @throws CsiException if there was no response, or the plugin refused the call
     * @throws CancellationException if the run was interrupted
     */
    public <T> T answer(Supplier<? extends CompletableFuture<T>> call) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int attempt = 1; ; attempt++) {
            try {
                return await(call.get(), deadline);
            } catch (CsiCallException e) {
                long delay = Math.min(FIRST_DELAY_MILLIS << Math.min(attempt - 1, 10), MAX_DELAY_MILLIS);
                boolean timeLeft = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delay) < deadline;
                if (stopped || !timeLeft || !shouldRetry(e, attempt)) {
                    throw e;
                }
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(delay));
            }
        }
    }

    private static boolean shouldRetry(CsiCallException failure, int attempt) {
        return failure.outcome() == CallOutcome.OUTCOME_UNKNOWN
                && (failure.code() == StatusCode.ABORTED || attempt < MAX_ATTEMPTS);
    }

    private <T> T await(CompletableFuture<T> future, long deadline) {
        inFlight = future;
        try {
            return future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CsiException failure) {
                throw failure;
            }
            throw new CsiException("the call ended with an unexpected error; please report it", e.getCause());
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new CsiException(
                    "no answer within " + StepLog.text(limit) + "; see the plugin's log, or use a longer --timeout");
        } catch (CancellationException e) {
            throw new CancellationException("cancelled, because the run was interrupted; its outcome is unknown");
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        } finally {
            inFlight = null;
        }
    }

    /** Sets the time limit of the following calls. */
    void setLimit(Duration limit) {
        this.limit = limit;
    }

    /** Cancels the call in flight and stops all retries. */
    void stop() {
        stopped = true;
        CompletableFuture<?> future = inFlight;
        if (future != null) {
            future.cancel(true);
        }
    }

    /** Allows retries again after {@link #stop}. */
    void resume() {
        stopped = false;
    }
}

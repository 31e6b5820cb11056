package io.csi4j.examples.walk;

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
 * Waits for answers. A call whose outcome is unknown is sent again, unchanged (R29): a few times, or,
 * while the plugin says that it is still at it (ABORTED), until the time is over (R33).
 */
public final class CallRepeater {
    private static final int TRIES = 3;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private volatile Duration limit;
    private volatile @Nullable CompletableFuture<?> inFlight;
    private volatile boolean givenUp;

    CallRepeater(Duration limit) {
        this.limit = limit;
    }

    /**
     * Sends a call and waits for its answer.
     *
     * @param call sends it
     * @param <T> the answer's type
     * @return the answer
     * @throws CsiException if there was no answer, or the plugin refused
     * @throws CancellationException if the walk was interrupted
     */
    public <T> T answer(Supplier<? extends CompletableFuture<T>> call) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int tries = 1; ; tries++) {
            try {
                return once(call.get(), deadline);
            } catch (CsiCallException e) {
                long pause = Math.min(FIRST_PAUSE_MILLIS << Math.min(tries - 1, 10), LONGEST_PAUSE_MILLIS);
                boolean timeLeft = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause) < deadline;
                if (givenUp || !timeLeft || !worthRepeating(e, tries)) {
                    throw e;
                }
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(pause));
            }
        }
    }

    private static boolean worthRepeating(CsiCallException failure, int tries) {
        return failure.outcome() == CallOutcome.OUTCOME_UNKNOWN
                && (failure.code() == StatusCode.ABORTED || tries < TRIES);
    }

    private <T> T once(CompletableFuture<T> future, long deadline) {
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
            throw new CsiException("no answer within " + StepLog.text(limit)
                    + "; ask the plugin's log what it is doing, or give it more time");
        } catch (CancellationException e) {
            throw new CancellationException("given up, because the walk was interrupted; its outcome is unknown");
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        } finally {
            inFlight = null;
        }
    }

    /** From now on a call has this long. */
    void limit(Duration limit) {
        this.limit = limit;
    }

    /** Ends the call in flight, if there is one, without an answer, and repeats none any more. */
    void giveUp() {
        givenUp = true;
        CompletableFuture<?> future = inFlight;
        if (future != null) {
            future.cancel(true);
        }
    }

    /** Undoes {@link #giveUp}: calls may be repeated again. */
    void resume() {
        givenUp = false;
    }
}

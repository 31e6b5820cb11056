package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.UnfinishedException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * Tries something again until it is done, fails for good, or its time is up. Waits longer after each
 * failure, and longest for causes somebody has to cure.
 */
public final class RetryLoop {
    private final EnginePorts ports;
    private final Backoff fast;
    private final Backoff slow;

    RetryLoop(EnginePorts ports) {
        this.ports = ports;
        LifecycleOptions options = ports.options();
        this.fast = new Backoff(options.retryBase(), options.retryMax(), ports.random());
        this.slow = new Backoff(options.slowRetryBase(), options.slowRetryMax(), ports.random());
    }

    /**
     * Tries until an attempt succeeds.
     *
     * @param what what is being done, for an operator
     * @param stored what an unfinished operation leaves behind, for an operator
     * @param attempt the attempt of that number, from 1
     * @return what the attempt gave; fails with what cannot be cured by repeating, or with an {@link
     *     UnfinishedException} when the time of an operation is up
     */
    public <R> CompletableFuture<R> untilDone(String what, Stored stored, IntFunction<CompletableFuture<R>> attempt) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Instant end = ports.clock().instant().plus(ports.options().operationTimeout());
        attempt(new Task<>(what, stored, attempt, result, end), 1);
        return result;
    }

    private <R> void attempt(Task<R> task, int number) {
        CompletableFuture<R> work;
        try {
            work = task.attempt.apply(number);
        } catch (RuntimeException e) {
            work = CompletableFuture.failedFuture(e);
        }
        var unused = work.whenComplete((value, failure) -> {
            if (failure == null) {
                task.result.complete(value);
            } else {
                failed(task, number, Failures.of(failure));
            }
        });
    }

    private <R> void failed(Task<R> task, int number, Throwable failure) {
        if (forGood(failure)) {
            task.result.completeExceptionally(failure);
            return;
        }
        Duration wait = wait(failure, number);
        if (ports.clock().instant().plus(wait).isAfter(task.end)) {
            task.result.completeExceptionally(new UnfinishedException(
                    task.what + " is not done after " + number + " attempts: " + Failures.text(failure) + "; "
                            + task.stored.text,
                    failure));
            return;
        }
        var unused = ports.timer().schedule(wait, () -> ports.executor().execute(() -> attempt(task, number + 1)));
    }

    /** How long to wait after a failed attempt, here and wherever else one is repeated. */
    public Duration wait(Throwable failure, int attempts) {
        if (failure instanceof NotReadyException) {
            return ports.options().snapshotPollInterval();
        }
        boolean somebodyHasTo = forGood(failure) || Failures.outcome(failure) == CallOutcome.RETRY_AFTER_CAUSE;
        return somebodyHasTo ? slow.after(attempts) : fast.after(attempts);
    }

    /** Whether repeating cannot help. What is no answer of ours or a plugin's leaves the outcome unknown. */
    public static boolean forGood(Throwable failure) {
        if (failure instanceof CsiCallException call) {
            return !call.outcome().retryable();
        }
        return failure instanceof CsiException told && !told.retryable();
    }

    private record Task<R>(
            String what,
            Stored stored,
            IntFunction<CompletableFuture<R>> attempt,
            CompletableFuture<R> result,
            Instant end) {}

    /** What an operation that is not done in time leaves behind. */
    public enum Stored {
        /** It only asked. */
        NOTHING("nothing was stored: repeat it"),
        /** It asked a plugin for something that has no intent in the state. */
        NOTHING_HERE(
                "nothing was stored here, and the plugin may have done it or may yet do it: repeat it" + " unchanged"),
        /** Its command may have been applied, or may yet be. */
        UNCERTAIN("whether it was stored, or yet will be, is not known: repeat it"),
        /** The leader goes on with it. */
        INTENT("the intent is stored, and the leader goes on with it: repeat it to wait again, or do the opposite");

        private final String text;

        Stored(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }
}

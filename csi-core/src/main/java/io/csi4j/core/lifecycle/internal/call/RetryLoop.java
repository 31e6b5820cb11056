package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Retries an operation until it succeeds, fails permanently, or reaches its time limit. The backoff grows with each
 * failure, and is longer for failures with a cause that has to be removed first.
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
     * Starts attempts, one after the other, until one succeeds.
     *
     * @param what a description of the operation, for operators
     * @param stored what the operation leaves behind if it does not finish in time, for operators
     * @param attempt starts the attempt with the given number, from 1
     * @return the result; fails with a permanent failure, or with an {@link UnfinishedException} after the time limit
     */
    public <R> CompletableFuture<R> untilDone(String what, Stored stored, IntFunction<CompletableFuture<R>> attempt) {
        return untilDone(what, stored, () -> false, attempt);
    }

    /**
     * Starts attempts as {@link #untilDone(String, Stored, IntFunction)}.
     *
     * @param stopped returns whether no attempt may follow, because no caller waits for the result
     */
    public <R> CompletableFuture<R> untilDone(
            String what, Stored stored, BooleanSupplier stopped, IntFunction<CompletableFuture<R>> attempt) {
        CompletableFuture<R> result = new CompletableFuture<>();
        long end = ports.nanoTime() + ports.options().operationTimeout().toNanos();
        attempt(new Task<>(what, stored, stopped, attempt, result, end), 1);
        return result;
    }

    private <R> void attempt(Task<R> task, int number) {
        if (task.stopped.getAsBoolean()) {
            task.result.cancel(false);
            return;
        }
        var unused = Futures.start(() -> task.attempt.apply(number)).whenComplete((value, failure) -> {
            if (failure == null) {
                task.result.complete(value);
            } else {
                failed(task, number, Futures.unwrap(failure));
            }
        });
    }

    private <R> void failed(Task<R> task, int number, Throwable failure) {
        if (isPermanent(failure)) {
            task.result.completeExceptionally(failure);
            return;
        }
        Duration wait = backoff(failure, number);
        if (ports.nanoTime() + wait.toNanos() - task.end > 0) {
            task.result.completeExceptionally(new UnfinishedException(
                    task.what + " is not done after " + number + " attempts: " + Failures.text(failure) + "; "
                            + (failure instanceof NotReadyException late ? late.remedy() : task.stored.text),
                    failure));
            return;
        }
        var unused = ports.timer().schedule(wait, () -> ports.executor().execute(() -> attempt(task, number + 1)));
    }

    /** Returns the backoff after a failed attempt. All retries of the engine use this method. */
    public Duration backoff(Throwable failure, int attempts) {
        if (failure instanceof NotReadyException) {
            return ports.options().snapshotPollInterval();
        }
        boolean needsRemedy = isPermanent(failure) || Failures.outcome(failure) == CallOutcome.RETRY_AFTER_CAUSE;
        return needsRemedy ? slow.after(attempts) : fast.after(attempts);
    }

    /**
     * Returns the longest backoff that {@link #backoff} may have returned after failed attempts.
     *
     * @param attempts the number of failed attempts
     */
    public Duration longestBackoff(int attempts) {
        return Stream.of(
                        fast.longest(attempts),
                        slow.longest(attempts),
                        ports.options().snapshotPollInterval())
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /**
     * Returns a failed attempt after which another one is planned.
     *
     * @param before the attempts before this one
     * @param call the index of the command that recorded the start of the call; 0 if no command did
     */
    public Attempt failedAttempt(Throwable failure, Retry before, long call) {
        Duration wait = backoff(failure, before.attempts() + 1);
        return new Attempt(
                Failures.textToStore(failure),
                Optional.of(ports.clock().instant().plus(wait)),
                Failures.changedNothing(failure) ? call : 0);
    }

    /**
     * Returns a failed attempt to create or delete a volume, after which another one is planned.
     *
     * @param before the attempts before this one, with the call that failed
     * @param clear whether it is certain that the call changed nothing
     */
    public Attempt failedCall(Throwable failure, Retry before, boolean clear) {
        long call = before.unresolved().orElseThrow().index();
        boolean noRoom = Failures.code(failure) == StatusCode.RESOURCE_EXHAUSTED;
        return new Attempt(
                Failures.textToStore(failure),
                Optional.of(ports.clock().instant().plus(backoff(failure, before.attempts() + 1))),
                clear && Failures.changedNothing(failure) ? call : 0,
                noRoom ? call : 0);
    }

    /**
     * Returns whether a failure is permanent, so that a retry cannot help. Only a {@link CsiException} can be
     * permanent; after any other exception the outcome of the operation is unknown.
     */
    public static boolean isPermanent(Throwable failure) {
        if (failure instanceof CsiCallException call) {
            return !call.outcome().retryable();
        }
        return failure instanceof CsiException reported && !reported.retryable();
    }

    private record Task<R>(
            String what,
            Stored stored,
            BooleanSupplier stopped,
            IntFunction<CompletableFuture<R>> attempt,
            CompletableFuture<R> result,
            long end) {}

    /**
     * The data that an operation may leave behind if it does not finish in time. The text of each value is part of the
     * error message and advises the caller.
     */
    public enum Stored {
        /** Nothing was stored; for example, a query stores nothing. */
        NOTHING("nothing was stored: repeat it"),
        /**
         * The plugin has received the request and may still perform it, but the state stores nothing about the request.
         */
        NOTHING_HERE("nothing was stored here, and the plugin may have done it or may yet do it: repeat it unchanged"),
        /**
         * The outcome of the command is unknown: the log may already have applied the command, or may still apply it.
         */
        UNCERTAIN("whether it was stored, or yet will be, is not known: repeat it"),
        /** The intent is stored, and the leader continues the operation. */
        INTENT("the intent is stored, and the leader continues it: repeat it to wait again, or do the opposite");

        private final String text;

        Stored(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}

package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.command.Command;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What came of a call, and is on record.
 *
 * @param answer what the plugin answered; empty: it failed
 * @param failure what it failed with; empty: it answered
 */
record AttemptResult<R>(Optional<R> answer, Optional<Throwable> failure) {
    /**
     * How to write down what comes of a call.
     *
     * @param done the command for an answer
     * @param failed the command for a failure; the attempt has no time for a next one if it was refused for good
     * @param before how it went so far
     * @param call the index of the command that began the call; 0: the step keeps none
     * @param believed whether a refusal is believed; if not, it is tried again, for an earlier call may have been done
     */
    record Records<R>(
            Function<R, Command> done, Function<Attempt, Command> failed, Retry before, long call, boolean believed) {
        /** The same where a refusal is believed. */
        Records(Function<R, Command> done, Function<Attempt, Command> failed, Retry before) {
            this(done, failed, before, 0, true);
        }
    }

    /** Makes a call and writes down what came of it. Fails only if that could not be written. */
    static <R> CompletableFuture<AttemptResult<R>> of(
            Operations operations, Supplier<CompletableFuture<R>> call, Records<R> records) {
        CompletableFuture<R> begun;
        try {
            begun = call.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        return begun.handle((answer, failure) -> new AttemptResult<>(
                        Optional.ofNullable(answer),
                        Optional.ofNullable(failure).map(Failures::of)))
                .thenCompose(ended ->
                        operations.submit(ended.command(operations, records)).thenApply(written -> ended));
    }

    private Command command(Operations operations, Records<R> records) {
        if (failure.isEmpty()) {
            return records.done.apply(answer.orElseThrow());
        }
        Throwable why = failure.get();
        if (RetryLoop.forGood(why) && records.believed) {
            return records.failed.apply(new Attempt(Failures.stored(why), Optional.empty(), records.call));
        }
        return records.failed.apply(failed(operations, why, records.before, records.call));
    }

    /** A failed attempt that is repeated. */
    static Attempt failed(Operations operations, Throwable why, Retry before, long call) {
        Duration wait = operations.repetition().wait(why, before.attempts() + 1);
        return new Attempt(
                Failures.stored(why), Optional.of(operations.now().plus(wait)), Failures.clear(why) ? call : 0);
    }
}

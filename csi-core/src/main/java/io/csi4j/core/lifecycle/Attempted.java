package io.csi4j.core.lifecycle;

import io.csi4j.core.command.Command;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
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
record Attempted<R>(Optional<R> answer, Optional<Throwable> failure) {
    /**
     * How to write down what comes of a call.
     *
     * @param done the command for an answer
     * @param failed the command for a failure; the attempt has no time for a next one if it was refused for good
     * @param before how it went so far
     */
    record Records<R>(Function<R, Command> done, Function<Attempt, Command> failed, Retry before) {}

    /** Makes a call and writes down what came of it. Fails only if that could not be written. */
    static <R> CompletableFuture<Attempted<R>> of(
            Operations operations, Supplier<CompletableFuture<R>> call, Records<R> records) {
        CompletableFuture<R> begun;
        try {
            begun = call.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        return begun.handle((answer, failure) -> failure == null
                        ? operations
                                .submit(records.done.apply(answer))
                                .thenApply(written -> new Attempted<>(Optional.of(answer), Optional.empty()))
                        : failed(operations, records, Failures.of(failure)))
                .thenCompose(written -> written);
    }

    private static <R> CompletableFuture<Attempted<R>> failed(
            Operations operations, Records<R> records, Throwable why) {
        int attempts = records.before.attempts() + 1;
        Attempt attempt = Repetition.forGood(why)
                ? new Attempt(Failures.text(why), Optional.empty())
                : Attempt.failed(
                        Failures.text(why),
                        operations.now().plus(operations.repetition().wait(why, attempts)));
        return operations
                .submit(records.failed.apply(attempt))
                .thenApply(written -> new Attempted<>(Optional.empty(), Optional.of(why)));
    }

    /** The answer; fails with the failure. */
    CompletableFuture<R> result() {
        return failure.<CompletableFuture<R>>map(CompletableFuture::failedFuture)
                .orElseGet(() -> CompletableFuture.completedFuture(answer.orElseThrow()));
    }
}

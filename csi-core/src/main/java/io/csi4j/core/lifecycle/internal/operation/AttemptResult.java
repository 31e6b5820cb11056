package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The stored result of a call: a response or a failure.
 *
 * @param answer the plugin's response; empty if the call failed
 * @param failure the failure; empty if the call succeeded
 */
record AttemptResult<R>(Optional<R> answer, Optional<Throwable> failure) {
    /**
     * Creates the commands that record the result of a call.
     *
     * @param done returns the command that records a response
     * @param failed returns the command that records a failed attempt; if the plugin refused permanently, the attempt
     *     passed to this function contains no time for a next attempt
     * @param before the attempts before this call
     * @param call the index of the command that recorded the start of the call; 0 if no command did
     * @param believed whether a permanent refusal is final; false if an earlier call may have taken effect, so that the
     *     call is retried
     */
    record Records<R>(
            Function<R, Command> done, Function<Attempt, Command> failed, Retry before, long call, boolean believed) {
        /**
         * Creates the records of a call whose start no command has recorded. If the plugin refuses the call
         * permanently, the call is not retried.
         */
        Records(Function<R, Command> done, Function<Attempt, Command> failed, Retry before) {
            this(done, failed, before, 0, true);
        }
    }

    /** Makes a call and records its result. The future fails only if the result could not be recorded. */
    static <R> CompletableFuture<AttemptResult<R>> of(
            Operations operations, Supplier<CompletableFuture<R>> call, Records<R> records) {
        return Futures.start(call)
                .handle((answer, failure) -> new AttemptResult<>(
                        Optional.ofNullable(answer),
                        Optional.ofNullable(failure).map(Futures::unwrap)))
                .thenCompose(ended ->
                        operations.submit(ended.command(operations, records)).thenApply(written -> ended));
    }

    private Command command(Operations operations, Records<R> records) {
        if (failure.isEmpty()) {
            return records.done.apply(answer.orElseThrow());
        }
        Throwable cause = failure.get();
        if (RetryLoop.isPermanent(cause) && records.believed) {
            return records.failed.apply(new Attempt(Failures.textToStore(cause), Optional.empty(), records.call));
        }
        return records.failed.apply(operations.retryLoop().failedAttempt(cause, records.before, records.call));
    }
}

package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Starts the operations of callers: their futures complete in the callback executor, and an operation that waits long
 * has a time limit.
 */
public final class OperationStarter {
    private final EnginePorts ports;
    private final UnaryOperator<Throwable> visible;

    OperationStarter(EnginePorts ports) {
        this(ports, failure -> failure);
    }

    private OperationStarter(EnginePorts ports, UnaryOperator<Throwable> visible) {
        this.ports = ports;
        this.visible = visible;
    }

    /** Returns a starter whose failures do not name objects that the caller may not see. */
    OperationStarter withVisible(UnaryOperator<Throwable> failures) {
        return new OperationStarter(ports, failures);
    }

    /**
     * Starts an operation. If the operation throws a {@link CsiException}, the returned future fails with it. Dependent
     * stages of the future run in the callback executor.
     */
    public <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return reported(begun(operation));
    }

    /**
     * Starts an operation that may wait long for a permit or a response. The caller's future fails after the operation
     * timeout; the operation itself continues, and its result is recorded.
     *
     * @param what a description of the operation, for operators
     */
    public <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        return run(what, Optional::empty, operation);
    }

    /**
     * Starts an operation as {@link #run(String, Supplier)}.
     *
     * @param left what the operation leaves behind after the operation timeout, for operators; empty if it continues
     */
    public <R> CompletableFuture<R> run(
            String what, Supplier<Optional<String>> left, Supplier<CompletableFuture<R>> operation) {
        CompletableFuture<R> work = begun(operation);
        CompletableFuture<R> result = reported(work);
        if (!work.isDone()) {
            Duration max = ports.options().operationTimeout();
            Cancellable limit = ports.timer()
                    .schedule(
                            max,
                            () -> ports.callbacks()
                                    .execute(() -> result.completeExceptionally(unfinished(what, max, left.get()))));
            var unused = result.whenComplete((value, failure) -> limit.cancel());
        }
        return result;
    }

    /**
     * Starts an operation that consists of many calls and leaves nothing behind, such as a listing. The caller's future
     * fails after the operation timeout. The operation makes no further call then, nor after the caller has completed or
     * cancelled its future.
     *
     * @param what a description of the operation, for operators
     * @param operation starts the operation; it asks the given query before each call whether to stop
     */
    public <R> CompletableFuture<R> runUnlessStopped(
            String what, Function<BooleanSupplier, CompletableFuture<R>> operation) {
        CompletableFuture<R> result = new CompletableFuture<>();
        AtomicBoolean late = new AtomicBoolean();
        Duration max = ports.options().operationTimeout();
        Cancellable limit = ports.timer().schedule(max, () -> {
            late.set(true);
            ports.callbacks()
                    .execute(() -> result.completeExceptionally(new UnfinishedException(
                            what + " is not done after " + Durations.text(max)
                                    + " and was stopped; nothing continues, repeat it",
                            null)));
        });
        var unused = result.whenComplete((value, failure) -> limit.cancel());
        var ignored = begun(() -> operation.apply(() -> late.get() || result.isDone()))
                .whenCompleteAsync((value, failure) -> complete(result, value, failure), ports.callbacks());
        return result;
    }

    private <R> void complete(CompletableFuture<R> result, R value, @Nullable Throwable failure) {
        Futures.complete(result, value, failure == null ? null : visible.apply(failure));
    }

    private static UnfinishedException unfinished(String what, Duration max, Optional<String> left) {
        return new UnfinishedException(
                what + " is not done after " + Durations.text(max)
                        + left.map(text -> ": " + text)
                                .orElse(", and continues: it waits for a permit of the plugin, or for an answer; repeat"
                                        + " it to wait for it again"),
                null);
    }

    private static <R> CompletableFuture<R> begun(Supplier<CompletableFuture<R>> operation) {
        try {
            return operation.get();
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <R> CompletableFuture<R> reported(CompletableFuture<R> work) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused = work.whenCompleteAsync((value, failure) -> complete(result, value, failure), ports.callbacks());
        return result;
    }
}

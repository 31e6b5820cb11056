package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The operations on volumes with waiting callers of this server. A caller persists the intent, and the volume's worker performs
 * it. Only values that the row cannot hold pass through this class. Thread-safe.
 */
public final class PendingOperations {
    private final EnginePorts ports;
    private final List<PendingOperation<?>> pending = new CopyOnWriteArrayList<>();
    private volatile Consumer<VolumeKey> tryNow = key -> {};

    PendingOperations(EnginePorts ports) {
        this.ports = ports;
    }

    /** Sets the function that requests a plan at once, if this server leads. */
    public void tryNowWith(Consumer<VolumeKey> retry) {
        this.tryNow = retry;
    }

    /**
     * Registers a caller. Call this before the intent is persisted, because the worker may be faster than the caller.
     *
     * @param intent returns whether a volume has the caller's intent
     */
    public <R> PendingOperation<R> begin(Caller caller, VolumeKey key, Predicate<Volume> intent) {
        PendingOperation<R> operation = new PendingOperation<>(ports, caller, key, intent);
        pending.add(operation);
        var unused = operation.result().whenComplete((result, failure) -> pending.remove(operation));
        return operation;
    }

    /** Waits until the row shows the result. The worker tries at once, without waiting for the next attempt. */
    public <R> CompletableFuture<R> await(
            PendingOperation<R> operation, String what, PendingOperation.Outcome<R> outcome) {
        operation.await(what, outcome);
        if (!operation.result().isDone()) {
            tryNow.accept(operation.key());
        }
        return operation.result();
    }

    /**
     * Makes the worker's call for an intent, with the secrets of its callers. If several callers pass secrets, those of the last
     * caller are used.
     *
     * @param call completes with the failure of the call when its result is written
     */
    public CompletableFuture<?> perform(Volume volume, Function<Caller, CompletableFuture<Optional<Throwable>>> call) {
        List<PendingOperation<?>> waiting =
                pending.stream().filter(operation -> operation.waitsFor(volume)).toList();
        Caller caller = waiting.stream()
                .map(PendingOperation::caller)
                .filter(asking -> asking.secrets().isPresent())
                .reduce(Caller.ENGINE, (earlier, later) -> later);
        waiting.forEach(PendingOperation::callBegins);
        CompletableFuture<Optional<Throwable>> begun;
        try {
            begun = call.apply(caller);
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        return begun.whenComplete((reported, failure) -> {
            Optional<Throwable> ended = failure == null ? reported : Optional.of(Failures.of(failure));
            waiting.forEach(operation -> operation.callEnded(ended));
        });
    }
}

package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The operations on volumes that callers on this server wait for. A caller persists its intent in the volume's row, and
 * the volume's worker performs the operation. This class passes on what the row cannot hold: the secrets of the caller
 * and the failures of the worker's calls. Thread-safe.
 */
public final class PendingOperations {
    private final EnginePorts ports;
    private final List<PendingOperation<?>> pending = new CopyOnWriteArrayList<>();
    private volatile Consumer<VolumeKey> tryNow = key -> {};

    PendingOperations(EnginePorts ports) {
        this.ports = ports;
    }

    /**
     * Sets the function that makes the leader plan the next steps for a volume at once, without waiting for the end of
     * a backoff. The function has no effect on a server that does not lead.
     */
    public void tryNowWith(Consumer<VolumeKey> retry) {
        this.tryNow = retry;
    }

    /**
     * Registers a caller. Call this before the intent is stored, because the worker may be faster than the caller.
     *
     * @param intent returns whether a volume's row has the caller's intent
     */
    public <R> PendingOperation<R> begin(Caller caller, VolumeKey key, Predicate<Volume> intent) {
        PendingOperation<R> operation = new PendingOperation<>(ports, caller, key, intent);
        pending.add(operation);
        var unused = operation.result().whenComplete((result, failure) -> pending.remove(operation));
        return operation;
    }

    /**
     * Waits until the volume's row shows the result of an operation. Asks the worker to try the operation now, without
     * waiting for the end of a backoff.
     */
    public <R> CompletableFuture<R> await(PendingOperation<R> operation, PendingOperation.Outcome<R> outcome) {
        operation.await(outcome);
        if (!operation.result().isDone()) {
            tryNow.accept(operation.key());
        }
        return operation.result();
    }

    /**
     * Notes that the worker's call for a stored intent begins. The call uses the secrets of a caller that waits for the
     * intent; if several callers passed secrets, it uses those of the last caller.
     *
     * @return the callers that wait for the intent
     */
    public <R> WaitingCallers<R> callBegins(Volume volume) {
        List<PendingOperation<?>> waiting =
                pending.stream().filter(operation -> operation.waitsFor(volume)).toList();
        waiting.forEach(PendingOperation::callBegins);
        return new WaitingCallers<>() {
            @Override
            public Caller secretsOf() {
                return Caller.lastWithSecrets(waiting.stream().map(PendingOperation::caller));
            }

            @Override
            public void callEnded(@Nullable R answer, Optional<Throwable> failure) {
                waiting.forEach(operation -> operation.callEnded(failure));
            }
        };
    }
}

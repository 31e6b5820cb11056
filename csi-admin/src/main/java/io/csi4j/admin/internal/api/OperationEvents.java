package io.csi4j.admin.internal.api;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The changes of an operation until its end: each event is the operation as it is then. Only one call of {@link #next} at a
 * time; {@link #cancel} from any thread.
 */
final class OperationEvents implements Endpoint.EventSource<OperationView> {
    /** The time after which an operation is looked at again, because the loss of the leader changes no row. */
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final Operation operation;
    private final Call call;
    private String last = "";
    private boolean complete;
    private volatile boolean cancelled;
    /** The wait for a change. */
    private volatile CompletableFuture<Void> wait = new CompletableFuture<>();

    OperationEvents(Operation operation, Call call) {
        this.operation = operation;
        this.call = call;
        var unused = operation.ended().thenAccept(end -> wait.complete(null));
    }

    @Override
    public CompletableFuture<Optional<OperationView>> next() {
        if (complete || cancelled) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        long index = call.server().state().snapshot().index();
        return Futures.compose(
                OperationView.of(operation, call), view -> shown(view, index), CompletableFuture::failedFuture);
    }

    private CompletableFuture<Optional<OperationView>> shown(OperationView view, long index) {
        complete = view.end().isPresent();
        String text = OperationView.SHAPE.text(view);
        if (complete || !text.equals(last)) {
            last = text;
            return CompletableFuture.completedFuture(Optional.of(view));
        }
        return Futures.compose(changed(index), ended -> next(), CompletableFuture::failedFuture);
    }

    /** Completes when the operation has ended, its volume has changed, the client has gone, or after a pause. */
    private CompletableFuture<Void> changed(long index) {
        CompletableFuture<Void> changed = new CompletableFuture<>();
        wait = changed;
        operation.volume.ifPresent(volume -> {
            CompletableFuture<Long> newer = call.server().state().newerThan(StateScope.volume(volume), index);
            var unused = newer.thenAccept(at -> changed.complete(null));
            var unusedEnd = changed.whenComplete((none, failure) -> newer.cancel(false));
        });
        Cancellable again = call.server().operations().later(PAUSE, () -> changed.complete(null));
        var unusedAgain = changed.whenComplete((none, failure) -> again.cancel());
        if (cancelled || operation.end().isPresent()) {
            changed.complete(null); // It came before this wait.
        }
        return changed;
    }

    @Override
    public void cancel() {
        cancelled = true;
        wait.complete(null);
    }
}

package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a volume with a waiting caller. The volume's row shows the result; the worker of this server adds the failure of
 * its calls, because a refused intent may leave the row. Thread-safe.
 */
public final class PendingOperation<R> {
    private final EnginePorts ports;
    private final Caller caller;
    private final VolumeKey key;
    private final Predicate<Volume> intent;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    // Guarded by this.
    private int calls;
    private int failures;
    private @Nullable Throwable failure;
    private @Nullable Outcome<R> outcome;

    PendingOperation(EnginePorts ports, Caller caller, VolumeKey key, Predicate<Volume> intent) {
        this.ports = ports;
        this.caller = caller;
        this.key = key;
        this.intent = intent;
    }

    /** The result of an operation in the state. */
    @FunctionalInterface
    public interface Outcome<R> {
        /**
         * Reads the result.
         *
         * @return empty: the operation is in progress
         * @throws CsiException if the operation ended without success
         */
        Optional<R> in(StateReader state);
    }

    Caller caller() {
        return caller;
    }

    VolumeKey key() {
        return key;
    }

    /** Completes when the operation has ended, or after its time limit. */
    CompletableFuture<R> result() {
        return result;
    }

    boolean waitsFor(Volume volume) {
        return volume.key().equals(key) && !result.isDone() && intent.test(volume);
    }

    /** Notes the start of a call: until the call ends, the row alone does not show the reason of a failure. */
    synchronized void callBegins() {
        calls++;
    }

    /** Notes the end of a call whose result is written. */
    void callEnded(Optional<Throwable> failed) {
        synchronized (this) {
            calls--;
            failure = failed.orElse(null);
            failures += failed.isPresent() ? 1 : 0;
        }
        check();
    }

    /** Waits for the result of a persisted intent. */
    void await(String what, Outcome<R> shown) {
        Duration limit = ports.options().operationTimeout();
        Subscription watching = ports.log()
                .state()
                .subscribe(
                        StateScope.volume(key), ports.log().state().snapshot().index(), index -> check());
        Cancellable limiting = ports.timer().schedule(limit, () -> end(unfinished(what, limit)));
        synchronized (this) {
            outcome = shown;
        }
        var unused = result.whenComplete((value, failed) -> {
            watching.close();
            limiting.cancel();
        });
        check();
    }

    /** Ends the wait because the intent was not persisted. */
    public void abandon(Throwable why) {
        result.completeExceptionally(why);
    }

    private void check() {
        Outcome<R> shown;
        synchronized (this) {
            shown = outcome;
        }
        if (shown == null || result.isDone()) {
            return;
        }
        // Read first: a call that has ended is in this state, or still counts as in flight here.
        StateReader state = ports.log().state().snapshot();
        Optional<R> value = Optional.empty();
        RuntimeException ended = null;
        try {
            value = shown.in(state);
        } catch (RuntimeException e) {
            ended = e;
        }
        if (value.isPresent()) {
            R done = value.get();
            ports.callbacks().execute(() -> result.complete(done));
        } else {
            endWithout(ended);
        }
    }

    /**
     * Ends the wait with the plugin's failure if a repeat cannot help, and otherwise with the state's.
     *
     * @param ended null: the state shows the operation in progress
     */
    private void endWithout(@Nullable RuntimeException ended) {
        Throwable why;
        synchronized (this) {
            if (calls > 0) {
                return;
            }
            why = failure != null && RetryLoop.forGood(failure) ? failure : ended;
        }
        if (why != null) {
            end(why);
        }
    }

    private void end(Throwable why) {
        ports.callbacks().execute(() -> result.completeExceptionally(why));
    }

    private synchronized UnfinishedException unfinished(String what, Duration limit) {
        Throwable last = failure == null ? noController() : failure;
        String why = last == null
                ? ""
                : (failures == 0 ? ": " : ", and " + failures + " calls failed: ") + Failures.text(last);
        return new UnfinishedException(
                what + " is not done after " + limit + why + "; " + RetryLoop.Stored.INTENT.text(), last);
    }

    /** Returns the reason why no call is made; null: a controller is available. */
    private @Nullable NoControllerException noController() {
        StateReader state = ports.log().state().snapshot();
        try {
            state.volume(key)
                    .ifPresent(volume -> ControllerRouting.candidates(state, volume.pluginId(), volume.name()));
            return null;
        } catch (NoControllerException none) {
            return none;
        }
    }
}

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
 * An operation on a volume that a caller waits for. The volume's row shows the result; the worker of this server adds
 * why a call failed, because a refused intent may leave the row. Safe for use by many threads.
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

    /** The result of an operation, as the state shows it. */
    @FunctionalInterface
    public interface Outcome<R> {
        /**
         * Reads the result.
         *
         * @return empty: the operation is in progress
         * @throws CsiException if it ended without success
         */
        Optional<R> in(StateReader state);
    }

    Caller caller() {
        return caller;
    }

    VolumeKey key() {
        return key;
    }

    /** Complete when the operation has ended, or its time is up. */
    CompletableFuture<R> result() {
        return result;
    }

    boolean waitsFor(Volume volume) {
        return volume.key().equals(key) && !result.isDone() && intent.test(volume);
    }

    /** The worker begins a call: until it ends, the row alone does not tell why the operation ended without success. */
    synchronized void callBegins() {
        calls++;
    }

    /** The call has ended, and its result is written. */
    void callEnded(Optional<Throwable> failed) {
        synchronized (this) {
            calls--;
            failure = failed.orElse(null);
            failures += failed.isPresent() ? 1 : 0;
        }
        check();
    }

    /** Begins to wait for the result; the intent is written. */
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

    /** Ends the wait: the intent was not written. */
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
        // The state first: a call that has ended is written there, or is still counted here.
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
            ports.executor().tell(() -> result.complete(done));
        } else {
            endWithout(ended);
        }
    }

    /**
     * Ends with what the caller can act on: the plugin's failure if repeating cannot help, or else what the row shows.
     *
     * @param ended null: the row shows the operation in progress
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
        ports.executor().tell(() -> result.completeExceptionally(why));
    }

    private synchronized UnfinishedException unfinished(String what, Duration limit) {
        Throwable last = failure == null ? noController() : failure;
        String why = last == null
                ? ""
                : (failures == 0 ? ": " : ", and " + failures + " calls failed: ") + Failures.text(last);
        return new UnfinishedException(
                what + " is not done after " + limit + why + "; " + RetryLoop.Stored.INTENT.text(), last);
    }

    /** Why no call is made; null: a controller is there. */
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

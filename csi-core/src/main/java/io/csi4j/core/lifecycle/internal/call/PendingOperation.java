package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a volume, for which a caller on this server waits. The volume's row in the state shows when the
 * operation has ended. The row may not show why the operation failed, so the worker of this server adds the failures of
 * its calls to this object. Thread-safe.
 */
public final class PendingOperation<R> {
    private final EnginePorts ports;
    private final Caller caller;
    private final VolumeKey key;
    private final Predicate<Volume> intent;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    // The fields below are guarded by this object's monitor; calls is the number of calls in flight.
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

    /** Reads the result of an operation from the state. */
    @FunctionalInterface
    public interface Outcome<R> {
        /**
         * Reads the result.
         *
         * @return empty while the operation is in progress
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

    /** Completes when the operation has ended, and fails when the wait for it is abandoned. */
    CompletableFuture<R> result() {
        return result;
    }

    boolean waitsFor(Volume volume) {
        return volume.key().equals(key) && !result.isDone() && intent.test(volume);
    }

    /**
     * Notes that a call has begun. Until the call ends, the operation does not fail for its caller: the volume's row
     * may show earlier that the operation failed, but only the call's end shows the reason.
     */
    synchronized void callBegins() {
        calls++;
    }

    /** Notes that a call has ended and that its result is stored. */
    void callEnded(Optional<Throwable> failed) {
        synchronized (this) {
            calls--;
            failure = failed.orElse(null);
            failures += failed.isPresent() ? 1 : 0;
        }
        check();
    }

    /** Waits until the state shows the result of an intent that has been stored. */
    void await(Outcome<R> outcome) {
        Subscription watching = ports.log()
                .state()
                .subscribe(
                        StateScope.volume(key), ports.log().state().snapshot().index(), index -> check());
        synchronized (this) {
            this.outcome = outcome;
        }
        var unused = result.whenComplete((value, failed) -> watching.close());
        check();
    }

    /**
     * Limits the time of the whole operation, from the storing of its intent to its result. The caller's future fails
     * after the operation timeout; the leader continues the operation.
     *
     * @param what a description of the operation, for operators
     * @param work stores the intent and waits for the result
     */
    public <T> CompletableFuture<T> limited(String what, CompletableFuture<T> work) {
        Duration limit = ports.options().operationTimeout();
        return new Timeouts(ports.timer(), ports.callbacks()).limit(work, limit, () -> unfinished(what, limit));
    }

    /** Ends the wait, because the intent was not stored or the time limit was reached. */
    public void abandon(Throwable cause) {
        result.completeExceptionally(cause);
    }

    private void check() {
        Outcome<R> outcome;
        synchronized (this) {
            outcome = this.outcome;
        }
        if (outcome == null || result.isDone()) {
            return;
        }
        // Read the state first and the number of calls second. A call stores its result before it ends. So if this
        // state shows the result of a call, the call either still counts as in flight or has already reported its
        // failure.
        StateReader state = ports.log().state().snapshot();
        Optional<R> value = Optional.empty();
        RuntimeException ended = null;
        try {
            value = outcome.in(state);
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
     * Fails the operation: with the plugin's failure if a retry cannot help, or else with the failure that the state
     * shows. Has no effect while a call is in flight.
     *
     * @param ended the failure that the state shows; null if the state shows no failure
     */
    private void endWithout(@Nullable RuntimeException ended) {
        Throwable cause;
        synchronized (this) {
            if (calls > 0) {
                return;
            }
            cause = failure != null && RetryLoop.isPermanent(failure) ? failure : ended;
        }
        if (cause != null) {
            end(cause);
        }
    }

    private void end(Throwable cause) {
        ports.callbacks().execute(() -> result.completeExceptionally(cause));
    }

    private UnfinishedException unfinished(String what, Duration limit) {
        CsiException missing = obstacle();
        synchronized (this) {
            boolean stored = outcome != null;
            Throwable last = failure == null && stored ? missing : failure;
            String cause = last == null
                    ? ""
                    : (failures == 0 ? ": " : ", and " + failures + " calls failed: ") + Failures.text(last);
            String left = (stored ? RetryLoop.Stored.INTENT : RetryLoop.Stored.UNCERTAIN).text();
            return new UnfinishedException(what + " is not done after " + limit + cause + "; " + left, last);
        }
    }

    /** Returns the reason why no call can be made now; null if a call can be made. */
    private @Nullable CsiException obstacle() {
        StateReader state = ports.log().state().snapshot();
        Volume volume = state.volume(key).orElse(null);
        if (volume == null) {
            return null;
        }
        if (volume.phase() == VolumePhase.DELETING) {
            Optional<CsiException> source = SourceUse.of(state, volume);
            if (source.isPresent()) {
                return source.get();
            }
        }
        try {
            ControllerRouting.candidates(state, volume.pluginId(), nextCall(volume), volume.name());
            return null;
        } catch (NoControllerException none) {
            return none;
        }
    }

    /** Returns the controller call that the intent in the row of a volume needs next. */
    private static Rpc nextCall(Volume volume) {
        return switch (volume.phase()) {
            case CREATING -> Rpc.CREATE_VOLUME;
            case DELETING -> Rpc.DELETE_VOLUME;
            case AVAILABLE -> volume.toBeExpanded() ? Rpc.CONTROLLER_EXPAND_VOLUME : Rpc.CONTROLLER_MODIFY_VOLUME;
        };
    }
}

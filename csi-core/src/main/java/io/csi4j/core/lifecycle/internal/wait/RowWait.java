package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A caller's wait for a row of the state. The row shows when the wait has ended. The row may not show why a call failed,
 * so {@link RowWaits} adds the failures of the calls on this server. Thread-safe.
 *
 * @param <R> the type of the result
 */
public final class RowWait<R> {
    private final EnginePorts ports;
    private final @Nullable StateScope scope;
    private final @Nullable Term term;
    private final @Nullable VolumeKey confirmed;
    private final Caller caller;
    private final AwaitedCalls calls;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    // The fields below are guarded by this object's monitor.
    private int inFlight;
    private int failures;
    private @Nullable Throwable failure;
    private @Nullable RowOutcome<R> outcome;

    /**
     * Creates a wait that has not begun to watch.
     *
     * @param scope what the wait watches; null if a worker checks the wait
     * @param term the term of leadership whose end fails the wait; null if none does
     * @param confirmed the volume for which the log has to answer all commands of this engine before the row counts;
     *     null if the row counts at once
     */
    RowWait(
            EnginePorts ports,
            @Nullable StateScope scope,
            @Nullable Term term,
            @Nullable VolumeKey confirmed,
            Caller caller,
            AwaitedCalls calls) {
        this.ports = ports;
        this.scope = scope;
        this.term = term;
        this.confirmed = confirmed;
        this.caller = caller;
        this.calls = calls;
    }

    @Nullable Term term() {
        return term;
    }

    Caller caller() {
        return caller;
    }

    AwaitedCalls calls() {
        return calls;
    }

    /** Returns a future that completes in the callback executor when the wait has ended. */
    public CompletableFuture<R> result() {
        return result;
    }

    /** Returns whether the wait has begun to watch the row, because what the caller waits for is stored. */
    public synchronized boolean watches() {
        return outcome != null;
    }

    /** Returns the number of calls that have failed. */
    public synchronized int failures() {
        return failures;
    }

    /** Returns the failure of the last call; empty if it succeeded, or none has ended. */
    public synchronized Optional<Throwable> lastFailure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Limits the time of the wait, from now on.
     *
     * @param late returns the result of a wait that is too long, or throws its failure
     */
    public RowWait<R> limit(Duration limit, Supplier<R> late) {
        try {
            Cancellable timer = ports.timer().schedule(limit, () -> inCallbacks(() -> result.complete(late.get())));
            var unused = result.whenComplete((value, failed) -> timer.cancel());
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        return this;
    }

    /** Watches the row from now on, because what the caller waits for is stored. */
    public CompletableFuture<R> await(RowOutcome<R> reads) {
        synchronized (this) {
            outcome = reads;
        }
        if (!result.isDone()) {
            if (scope != null) {
                ObservableState state = ports.log().state();
                Subscription watch = state.subscribe(scope, state.snapshot().index(), newer -> check());
                var unused = result.whenComplete((value, failed) -> watch.close());
            }
            check();
        }
        return result;
    }

    /** Ends the wait without success. */
    public void fail(Throwable cause) {
        inCallbacks(() -> result.completeExceptionally(cause));
    }

    /** Ends the wait, because nobody needs its result. */
    public void stop() {
        result.cancel(false);
    }

    synchronized void callBegins() {
        inFlight++;
    }

    /** Notes that a call has failed, before its result is stored, because the row may soon show the result. */
    synchronized void callFails(Throwable failed) {
        failure = failed;
    }

    /** Notes that a call has ended and that its result is stored. */
    synchronized void callEnded(@Nullable Throwable failed) {
        inFlight--;
        failure = failed;
        failures += failed == null ? 0 : 1;
    }

    /** Ends the wait if the row shows its result, or the last call has failed for good. */
    void check() {
        RowOutcome<R> reads;
        synchronized (this) {
            reads = outcome;
        }
        if (reads == null || result.isDone()) {
            return;
        }
        // Read the state first and the calls second. A call reports its failure before it stores its result, and ends
        // afterwards. So if this state shows the result of a call, the failure is known here.
        StateReader state = ports.log().state().snapshot();
        if (confirmed != null && ports.log().delays(confirmed)) {
            // The worker plans when the log has answered, and checks this wait again. A call whose end is stored
            // counts already.
            failIfEnded(null);
            return;
        }
        Optional<R> value = Optional.empty();
        Throwable ended = null;
        try {
            value = reads.in(state);
        } catch (RuntimeException e) {
            ended = e;
        }
        if (value.isPresent()) {
            R done = value.get();
            inCallbacks(() -> result.complete(done));
        } else {
            failIfEnded(ended);
        }
    }

    private void failIfEnded(@Nullable Throwable ended) {
        Throwable cause;
        synchronized (this) {
            if (inFlight > 0 && (calls.precedeRow() || ended == null)) {
                return;
            }
            cause = failure != null && calls.endWith(failure) ? failure : ended;
        }
        if (cause != null) {
            fail(cause);
        }
    }

    private void inCallbacks(Runnable end) {
        ports.callbacks().execute(() -> {
            if (!result.isDone()) {
                try {
                    end.run();
                } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                }
            }
        });
    }
}

package io.csi4j.client.internal.retry;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call of a caller, from its turn in the queue to its end. Failsafe is used only after a first attempt that has to be repeated; a call that succeeds at once costs this object and its
 * queue entry.
 *
 * <p>Its steps follow each other; only {@link #cancel} comes at any time and needs the lock.
 */
final class RetriedCall<R> implements QueuedCall, AttemptListener<R>, Cancellable {
    private enum State {
        WAITING,
        TRYING,
        PAUSING,
        OVER
    }

    private final CallRetries discipline;
    private final CallTarget target;
    private final String plugin;
    private final AttemptPlan plan;
    private final Transmission<R> transmission;
    private final @Nullable QueueKey lane;
    private final CallFuture<R> answer = new CallFuture<>(this);
    private final OutcomeTracker doubt = new OutcomeTracker();
    private final @Nullable AttemptReports reports;

    /** Used before the first attempt only. */
    private volatile boolean waited;

    // Guarded by this.
    private State state = State.WAITING;
    private boolean cancelled;
    private int tries;
    /** The wait or the attempt that a cancellation ends. */
    private @Nullable Cancellable step;
    /** The future of the repeats and their backoffs. */
    private @Nullable CompletableFuture<R> repeated;

    RetriedCall(
            CallRetries discipline,
            CallTarget target,
            String plugin,
            AttemptPlan plan,
            Transmission<R> transmission,
            @Nullable QueueKey lane) {
        this.discipline = discipline;
        this.target = target;
        this.plugin = plugin;
        this.plan = plan;
        this.transmission = transmission;
        this.lane = lane;
        this.reports = AttemptReports.of(discipline.surroundings(), target, plugin);
    }

    CompletableFuture<R> begin() {
        if (lane == null) {
            admitted(false);
        } else {
            discipline.lanes().enter(lane, this);
        }
        return answer;
    }

    @Override
    public CallTarget target() {
        return target;
    }

    private long now() {
        return discipline.surroundings().nanoTime().getAsLong();
    }

    @Override
    public void waits() {
        waited = true;
        Cancellable late = discipline
                .surroundings()
                .timer()
                .schedule(Duration.ofNanos(Math.max(0, plan.left(now()))), this::waitedTooLong);
        if (!during(State.WAITING, 0, late)) {
            late.cancel();
        }
    }

    /** Records the step that a cancellation ends; returns false if the call has ended or was cancelled. */
    private synchronized boolean during(State expected, int number, Cancellable ends) {
        if (state != expected || tries != number || cancelled) {
            return false;
        }
        step = ends;
        return true;
    }

    private void waitedTooLong() {
        // A waiting call always has a key.
        if (lane == null) {
            return;
        }
        String before = discipline.lanes().currently(lane);
        if (discipline.lanes().withdraw(lane, this) && end()) {
            // A timer that is closed runs its remaining tasks.
            answer.fail(
                    discipline.surroundings().closed().getAsBoolean()
                            ? NotSent.closed(target, plugin)
                            : NotSent.waited(target, plugin, before, Duration.ofNanos(plan.spent(now()))));
        }
    }

    @Override
    public void refused(UnknownOutcome by) {
        if (end()) {
            answer.fail(NotSent.barred(target, plugin, by, Duration.ofNanos(now() - by.since())));
        }
    }

    @Override
    public void admitted(boolean replay) {
        doubt.replays(replay);
        Cancellable wait;
        synchronized (this) {
            wait = step;
            step = null;
        }
        if (wait != null) {
            wait.cancel();
        }
        if (waited && plan.left(now()) <= 0) {
            finish(null, NotSent.waited(target, plugin, "", Duration.ofNanos(plan.spent(now()))));
        } else if (discipline.surroundings().closed().getAsBoolean()) {
            finish(null, NotSent.closed(target, plugin));
        } else if (!tryOnce(State.WAITING, this)) {
            // The canceller has its answer already; this frees the queue.
            finish(null, NotSent.closed(target, plugin));
        }
    }

    /** Returns false if the call was cancelled before. */
    private boolean tryOnce(State before, AttemptListener<R> listener) {
        int number;
        synchronized (this) {
            if (state != before || cancelled) {
                return false;
            }
            state = State.TRYING;
            step = null;
            tries++;
            number = tries;
        }
        try {
            long begin = number == 1 && !waited ? plan.begin() : now();
            if (reports != null) {
                reports.began(number, begin);
            }
            Cancellable sent = transmission.send(Math.max(1, plan.time(number - 1, begin)), listener);
            if (!during(State.TRYING, number, sent) && isCancelled()) {
                sent.cancel();
            }
        } catch (RuntimeException | Error unsendable) {
            listener.failed(unsendable, true, false);
        }
        return true;
    }

    private synchronized int tries() {
        return tries;
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void answered(R value) {
        report(null, -1);
        finish(value, null);
    }

    private void report(@Nullable Throwable failure, long pauseNanos) {
        if (reports != null) {
            reports.ended(failure, pauseNanos);
        }
    }

    /** Handles the end of the first attempt. */
    @Override
    public void failed(Throwable failure, boolean sent, boolean repeatable) {
        RetryAfter again = again(failure, sent, repeatable);
        if (again == null) {
            finish(null, failure);
            return;
        }
        CompletableFuture<R> more = discipline.repeats().after(again, this::next);
        boolean tooLate;
        synchronized (this) {
            repeated = more;
            tooLate = cancelled && state == State.OVER;
        }
        if (tooLate) {
            more.cancel(false);
        }
        var unused = more.whenComplete((value, end) -> {
            if (!more.isCancelled()) {
                finish(value, end);
            }
        });
    }

    /** Makes another attempt, which fails with {@link RetryAfter} if yet another one follows. */
    private CompletionStage<R> next() {
        CompletableFuture<R> ended = new CompletableFuture<>();
        if (discipline.surroundings().closed().getAsBoolean()) {
            ended.completeExceptionally(NotSent.closed(target, plugin));
            return ended;
        }
        boolean begun = tryOnce(State.PAUSING, new AttemptListener<>() {
            @Override
            public void answered(R value) {
                report(null, -1);
                ended.complete(value);
            }

            @Override
            public void failed(Throwable failure, boolean sent, boolean repeatable) {
                RetryAfter again = again(failure, sent, repeatable);
                ended.completeExceptionally(again == null ? failure : again);
            }
        });
        if (!begun) {
            ended.cancel(false);
        }
        return ended;
    }

    /** Returns the retry after a failed attempt; null: none. */
    private @Nullable RetryAfter again(Throwable failure, boolean sent, boolean repeatable) {
        doubt.tried(target.rpc(), failure, sent);
        long pause = repeatable && failure instanceof CsiCallException call ? pause(call) : -1;
        report(failure, pause);
        return pause < 0 ? null : new RetryAfter(Duration.ofNanos(pause));
    }

    /** Begins the backoff before the next attempt, and returns its length; negative: there is none. */
    private synchronized long pause(CsiCallException failure) {
        long pause = state == State.TRYING && !cancelled ? plan.pause(failure, tries, now()) : -1;
        if (pause >= 0) {
            state = State.PAUSING;
            step = null;
        }
        return pause;
    }

    /** Returns whether this call ended it; only one does. */
    private synchronized boolean end() {
        boolean first = state != State.OVER;
        state = State.OVER;
        step = null;
        return first;
    }

    /** Frees the queue before the future completes, because a dependent stage may begin the next call. */
    private void finish(@Nullable R value, @Nullable Throwable failure) {
        if (!end()) {
            return;
        }
        leave(failure);
        if (failure == null) {
            succeed(value);
        } else {
            answer.fail(doubt.told(failure, tries(), Duration.ofNanos(plan.spent(now()))));
        }
    }

    @SuppressWarnings("NullAway") // an answer is null only where R allows it
    private void succeed(@Nullable R value) {
        answer.succeed(value);
    }

    private void leave(@Nullable Throwable failure) {
        if (lane != null) {
            discipline.lanes().leave(lane, target, doubt.end(target.rpc(), failure));
        }
    }

    /** Cancels the call. An attempt in flight is ended, and frees the queue when it has ended. */
    @Override
    public void cancel() {
        Cancellable ended;
        CompletableFuture<R> more;
        synchronized (this) {
            cancelled = true;
            ended = step;
            step = null;
            more = state == State.PAUSING ? repeated : null;
        }
        if (ended != null) {
            ended.cancel();
        }
        if (more != null) {
            more.cancel(false);
        }
        boolean withdrawn = lane != null && discipline.lanes().withdraw(lane, this);
        if (withdrawn) {
            end();
        } else if (endPause()) {
            leave(NotSent.closed(target, plugin));
        }
    }

    private synchronized boolean endPause() {
        return state == State.PAUSING && end();
    }
}

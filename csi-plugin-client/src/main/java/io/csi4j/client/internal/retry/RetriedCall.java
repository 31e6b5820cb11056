package io.csi4j.client.internal.retry;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call of a caller, from its wait in the queue to its end, with all its attempts and backoffs.
 *
 * <p>The wait, the attempts and the backoffs never overlap. But {@link #cancel} may be called at any time, so a lock
 * guards the state of the call.
 */
final class RetriedCall<R> implements QueuedCall, AttemptListener<R>, Cancellable {
    private enum State {
        WAITING,
        IN_FLIGHT,
        BACKOFF,
        ENDED
    }

    private final CallRetries retries;
    private final CallTarget target;
    private final String plugin;
    private final AttemptPlan plan;
    private final Transmission<R> transmission;
    private final @Nullable QueueKey queue;
    private final CallFuture<R> answer = new CallFuture<>(this);
    private final OutcomeTracker outcome = new OutcomeTracker();
    private final @Nullable AttemptReports reports;

    /** Whether the call had to wait in the queue. The field is used only until the first attempt begins. */
    private volatile boolean waited;

    // The fields from here on are guarded by this object's lock.
    private State state = State.WAITING;
    private boolean cancelled;
    private int attempts;
    /** The wait, attempt or backoff that is in progress. It is ended if the call is cancelled. */
    private @Nullable Cancellable step;

    RetriedCall(
            CallRetries retries,
            CallTarget target,
            String plugin,
            AttemptPlan plan,
            Transmission<R> transmission,
            @Nullable QueueKey queue) {
        this.retries = retries;
        this.target = target;
        this.plugin = plugin;
        this.plan = plan;
        this.transmission = transmission;
        this.queue = queue;
        this.reports = AttemptReports.of(retries.environment(), target, plugin);
    }

    CompletableFuture<R> begin() {
        if (queue == null) {
            admitted(false);
        } else {
            retries.queues().enter(queue, this);
        }
        return answer;
    }

    @Override
    public CallTarget target() {
        return target;
    }

    private long now() {
        return retries.environment().nanoTime().getAsLong();
    }

    @Override
    public void waits() {
        waited = true;
        Cancellable late = retries.environment()
                .timer()
                .schedule(Duration.ofNanos(Math.max(0, plan.left(now()))), this::waitedTooLong);
        if (!during(State.WAITING, 0, late)) {
            late.cancel();
        }
    }

    /** Records the step that is in progress, so that a cancellation can end it; returns false if the call has ended or was cancelled. */
    private synchronized boolean during(State expected, int number, Cancellable ends) {
        if (state != expected || attempts != number || cancelled) {
            return false;
        }
        step = ends;
        return true;
    }

    private void waitedTooLong() {
        // The key is never null here, because a call without a key does not wait.
        if (queue == null) {
            return;
        }
        String before = retries.queues().currently(queue);
        if (retries.queues().withdraw(queue, this) && end()) {
            // Checks whether the client is closed, because this task may run before its time: a timer that is closed
            // runs its remaining tasks.
            answer.fail(
                    retries.environment().closed().getAsBoolean()
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
        outcome.replays(replay);
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
        } else if (retries.environment().closed().getAsBoolean()) {
            finish(null, NotSent.closed(target, plugin));
        } else if (!attempt(State.WAITING)) {
            // The call was cancelled, so it only leaves the queue. Its future is already complete, so no caller sees
            // this exception.
            finish(null, NotSent.closed(target, plugin));
        }
    }

    /** Begins an attempt; returns false if the call was cancelled before. */
    private boolean attempt(State before) {
        int number;
        synchronized (this) {
            if (state != before || cancelled) {
                return false;
            }
            state = State.IN_FLIGHT;
            step = null;
            attempts++;
            number = attempts;
        }
        try {
            long begin = number == 1 && !waited ? plan.begin() : now();
            if (reports != null) {
                reports.began(number, begin);
            }
            Cancellable sent = transmission.send(Math.max(1, plan.time(number - 1, begin)), this);
            if (!during(State.IN_FLIGHT, number, sent) && isCancelled()) {
                sent.cancel();
            }
        } catch (RuntimeException | Error unsendable) {
            failed(unsendable, true, false);
        }
        return true;
    }

    private synchronized int attempts() {
        return attempts;
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void answered(R value) {
        report(null, -1);
        finish(value, null);
    }

    private void report(@Nullable Throwable failure, long backoffNanos) {
        if (reports != null) {
            reports.ended(failure, backoffNanos);
        }
    }

    @Override
    public void failed(Throwable failure, boolean sent, boolean repeatable) {
        outcome.tried(target.rpc(), failure, sent);
        long backoff = repeatable && failure instanceof CsiCallException call ? beginBackoff(call) : -1;
        report(failure, backoff);
        if (backoff < 0) {
            finish(null, failure);
            return;
        }
        int number = attempts();
        Cancellable timer = retries.environment().timer().schedule(Duration.ofNanos(backoff), this::next);
        if (!during(State.BACKOFF, number, timer)) {
            timer.cancel();
        }
    }

    /** Makes the next attempt after the backoff. A timer that is closed calls this method at once. */
    private void next() {
        if (retries.environment().closed().getAsBoolean()) {
            finish(null, NotSent.closed(target, plugin));
        } else {
            // The result is false if the call was cancelled. It is ignored, because the cancellation has already
            // removed the call from the queue.
            boolean unused = attempt(State.BACKOFF);
        }
    }

    /** Begins the backoff before the next attempt and returns its length; negative if no attempt follows. */
    private synchronized long beginBackoff(CsiCallException failure) {
        long backoff = state == State.IN_FLIGHT && !cancelled ? plan.backoff(failure, attempts, now()) : -1;
        if (backoff >= 0) {
            state = State.BACKOFF;
            step = null;
        }
        return backoff;
    }

    /** Marks the call as ended; returns true only for the first caller. */
    private synchronized boolean end() {
        boolean first = state != State.ENDED;
        state = State.ENDED;
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
            answer.fail(outcome.notify(failure, attempts(), Duration.ofNanos(plan.spent(now()))));
        }
    }

    @SuppressWarnings("NullAway") // an answer is null only where R allows it
    private void succeed(@Nullable R value) {
        answer.succeed(value);
    }

    private void leave(@Nullable Throwable failure) {
        if (queue != null) {
            retries.queues().leave(queue, target, outcome.end(target.rpc(), failure));
        }
    }

    /** Cancels the call. An attempt in flight is cancelled too, and the queue is freed when the attempt has ended. */
    @Override
    public void cancel() {
        Cancellable ended;
        synchronized (this) {
            cancelled = true;
            ended = step;
            step = null;
        }
        if (ended != null) {
            ended.cancel();
        }
        boolean withdrawn = queue != null && retries.queues().withdraw(queue, this);
        if (withdrawn) {
            end();
        } else if (endBackoff()) {
            leave(NotSent.closed(target, plugin));
        }
    }

    private synchronized boolean endBackoff() {
        return state == State.BACKOFF && end();
    }
}

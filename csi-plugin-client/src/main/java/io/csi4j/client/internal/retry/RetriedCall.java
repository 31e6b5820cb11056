package io.csi4j.client.internal.retry;

import dev.failsafe.AsyncExecution;
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
final class RetriedCall<R> implements QueuedCall, Cancellable {
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
    /** The wait or the attempts that are in progress. They are ended if the call is cancelled. */
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

    private boolean isClosed() {
        return retries.environment().closed().getAsBoolean();
    }

    @Override
    public void waits() {
        waited = true;
        Cancellable late = retries.environment()
                .timer()
                .schedule(Duration.ofNanos(Math.max(0, plan.left(now()))), this::waitedTooLong);
        if (!during(State.WAITING, late)) {
            late.cancel();
        }
    }

    /** Records what a cancellation has to end; returns false if the call has left the state or was cancelled. */
    private synchronized boolean during(State expected, Cancellable ends) {
        if (state != expected || cancelled) {
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
                    isClosed()
                            ? NotSent.closed(target, plugin)
                            : NotSent.waited(target, plugin, before, Duration.ofNanos(plan.spent(now()))));
        }
    }

    @Override
    public void refused(UnknownOutcome by) {
        endWait();
        if (end()) {
            answer.fail(NotSent.barred(target, plugin, by, Duration.ofNanos(now() - by.since())));
        }
    }

    @Override
    public void admitted(boolean replay) {
        outcome.replays(replay);
        endWait();
        if (waited && plan.left(now()) <= 0) {
            notMade(0, NotSent.waited(target, plugin, "", Duration.ofNanos(plan.spent(now()))));
        } else {
            attempts();
        }
    }

    /** Cancels the timer that limits the wait, because the timer would keep the request in memory. */
    private void endWait() {
        Cancellable wait;
        synchronized (this) {
            wait = step;
            step = null;
        }
        if (wait != null) {
            wait.cancel();
        }
    }

    private void attempts() {
        CompletableFuture<AttemptEnd<?>> attempts = retries.attempts().getAsyncExecution(this::attempt);
        boolean late;
        synchronized (this) {
            late = cancelled;
            step = late || state == State.ENDED ? null : () -> attempts.cancel(false);
        }
        if (late) {
            attempts.cancel(false);
        }
    }

    /** Makes an attempt, unless the client is closed or the call was cancelled. A timer that is closed calls this method at once. */
    private void attempt(AsyncExecution<AttemptEnd<?>> execution) {
        int before = execution.getAttemptCount();
        if (isClosed() || !begins()) {
            // If the call was cancelled, its future is already complete, so no caller sees this exception.
            notMade(before, NotSent.closed(target, plugin));
            return;
        }
        Attempt attempt = new Attempt(execution, before + 1);
        try {
            long begin = before == 0 && !waited ? plan.begin() : now();
            if (reports != null) {
                reports.began(before + 1, begin);
            }
            Cancellable sent = transmission.send(Math.max(1, plan.time(before, begin)), attempt);
            execution.onCancel(sent::cancel);
            if (isCancelled()) {
                sent.cancel();
            }
        } catch (RuntimeException | Error unsendable) {
            attempt.failed(unsendable, true, false);
        }
    }

    private synchronized boolean begins() {
        if (cancelled || state == State.ENDED) {
            return false;
        }
        state = State.IN_FLIGHT;
        return true;
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    private synchronized boolean isInFlight() {
        return state == State.IN_FLIGHT;
    }

    /** One attempt of the call. */
    private final class Attempt implements AttemptListener<R> {
        private final AsyncExecution<AttemptEnd<?>> execution;
        private final int number;

        Attempt(AsyncExecution<AttemptEnd<?>> execution, int number) {
            this.execution = execution;
            this.number = number;
        }

        @Override
        public void answered(R value) {
            ended(new AttemptEnd<>(RetriedCall.this, number, value, null, false));
        }

        @Override
        public void failed(Throwable failure, boolean sent, boolean repeatable) {
            outcome.tried(target.rpc(), failure, sent);
            ended(new AttemptEnd<>(RetriedCall.this, number, null, failure, repeatable));
        }

        /** Passes the end to Failsafe, which ignores it if the call was cancelled. */
        private void ended(AttemptEnd<R> end) {
            if (isInFlight() && !isCancelled()) {
                execution.record(end, null);
            }
            if (isCancelled()) {
                finish(end);
            }
        }
    }

    boolean permitsAnother(Throwable failure) {
        return failure instanceof CsiCallException call && plan.permitsAnother(call, now());
    }

    long backoff(int attempts) {
        return plan.backoff(attempts, now());
    }

    /** Begins the backoff before the next attempt. */
    void pauses(@Nullable Throwable failure, long backoffNanos) {
        synchronized (this) {
            state = State.BACKOFF;
        }
        report(failure, backoffNanos);
    }

    private void report(@Nullable Throwable failure, long backoffNanos) {
        if (reports != null) {
            reports.ended(failure, backoffNanos);
        }
    }

    /** Marks the call as ended; returns true only for the first caller. */
    private synchronized boolean end() {
        boolean first = state != State.ENDED;
        state = State.ENDED;
        step = null;
        return first;
    }

    /** Ends the call after its last attempt. */
    void finish(AttemptEnd<R> last) {
        if (end()) {
            Throwable failure = last.failure();
            report(failure, -1);
            leave(failure);
            if (failure == null) {
                succeed(last.answer());
            } else {
                fail(last.attempts(), failure);
            }
        }
    }

    /** Ends the call because the next attempt is not made. */
    private void notMade(int attempts, CsiCallException failure) {
        if (end()) {
            leave(failure);
            fail(attempts, failure);
        }
    }

    @SuppressWarnings("NullAway") // an answer is null only where R allows it
    private void succeed(@Nullable R value) {
        answer.succeed(value);
    }

    private void fail(int attempts, Throwable failure) {
        answer.fail(outcome.notify(failure, attempts, Duration.ofNanos(plan.spent(now()))));
    }

    /** Frees the queue; called before the future completes, because a dependent stage may begin the next call. */
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

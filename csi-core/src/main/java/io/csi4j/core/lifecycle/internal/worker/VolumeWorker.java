package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.internal.plan.PlannedStep;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorker.Urgency;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The worker of one volume on the server: it plans, starts the steps, stores the results, and plans again. It runs one
 * task at a time in the engine's executor and never blocks. All wake-ups during a task together cause one more plan. A
 * change of the volume wakes the worker, also if the worker's own command made it, unless the worker has already planned
 * for that state.
 */
public final class VolumeWorker {
    private static final Duration NOT_AT_ONCE = Duration.ofMillis(1);
    /** How often the worker of a volume that was given up asks whether the call for its former key has ended. */
    private static final Duration AFTER_FORMER_CALL = Duration.ofSeconds(1);

    /** How urgent a plan is, from the least to the most urgent. */
    enum Urgency {
        /** The plan retries only the steps whose backoff has ended. */
        NORMAL,
        /** The plan also checks whether held claims belong to ended allocations. */
        SWEEP,
        /** The plan also retries the steps whose backoff has not ended. */
        NOW;

        Urgency or(Urgency other) {
            return other.compareTo(this) > 0 ? other : this;
        }
    }

    private final VolumeWorkers workers;
    private final VolumeKey key;
    private final Operations operations;
    private final RetryTimes retryTimes;
    private final SerialExecutor tasks;

    // This object's monitor guards these fields.
    private int waiting;
    private List<Runnable> posted = new ArrayList<>(1);
    private boolean woken;
    private Urgency urgency = Urgency.NORMAL;
    private boolean idle;
    private boolean closed;

    // Only tasks use these fields; other threads read the volatile ones.
    private Set<Retry> tryNow = Set.of();
    private boolean writing;
    private boolean awaitsLog;
    private int refusals;
    private @Nullable Cancellable timer;
    private final UnusedTime unused;
    private volatile boolean nextPlan;
    private volatile long plannedIndex = -1;

    VolumeWorker(VolumeWorkers workers, VolumeKey key) {
        this.workers = workers;
        this.key = key;
        this.operations = workers.operations();
        this.retryTimes = new RetryTimes(operations);
        this.unused = new UnusedTime(workers);
        this.tasks = new SerialExecutor(
                operations.ports().executor(),
                // The worker stays usable, and the next wake-up or scan plans again.
                failure -> FailureLog.warn(
                        "Planning of volume " + key + " failed, and so did its repetition; a scan repeats it",
                        failure));
    }

    RetryTimes retryTimes() {
        return retryTimes;
    }

    /** Returns the index of the last state that the worker planned for. */
    long plannedIndex() {
        return plannedIndex;
    }

    /** Requests a plan. Returns false if the worker was removed. */
    synchronized boolean wake(Urgency how) {
        if (closed) {
            return false;
        }
        urgency = urgency.or(how);
        if (!woken) {
            woken = true;
            try {
                execute(this::plan);
            } catch (RejectedExecutionException e) {
                woken = false;
                throw e;
            }
        }
        return true;
    }

    /**
     * Runs a task before the next plan, and requests that plan. Returns false if the worker was removed. If the host's executor
     * rejects the plan, the task waits for the next one.
     */
    private synchronized boolean post(Runnable task) {
        if (closed) {
            return false;
        }
        posted.add(task);
        return wake(Urgency.NORMAL);
    }

    /**
     * Handles the end of a call, and plans afterwards. Returns false if the worker was removed.
     *
     * @param failure the refusal, or the failure to store the result; null if the call succeeded or will be retried
     */
    boolean callEnded(@Nullable Throwable failure) {
        return post(() -> ended(failure));
    }

    /**
     * Returns whether the worker will plan without another wake-up: it has a task, waits for the answer to its own
     * command, or has a timer.
     */
    synchronized boolean attends() {
        return !closed && (waiting > 0 || nextPlan);
    }

    /** Removes the worker if it has nothing to do, and returns whether it was removed. */
    synchronized boolean retired() {
        closed |= waiting == 0 && idle;
        return closed;
    }

    /** Ends the worker at the end of the term of leadership, in a last task. */
    synchronized void close() {
        if (!closed) {
            closed = true;
            execute(this::stopTimer);
        }
    }

    private void execute(Runnable task) {
        waiting++;
        try {
            tasks.execute(() -> {
                try {
                    task.run();
                } finally {
                    taskEnded();
                    workers.retire(key, this);
                }
            });
        } catch (RejectedExecutionException e) {
            taskEnded();
            throw e;
        }
    }

    private synchronized void taskEnded() {
        waiting--;
    }

    /** Makes the next plan at least as urgent as a plan that could not be made. */
    private synchronized void keep(Urgency how) {
        urgency = urgency.or(how);
    }

    private void plan() {
        Urgency how;
        List<Runnable> tasksBefore;
        synchronized (this) {
            how = urgency;
            urgency = Urgency.NORMAL;
            tasksBefore = posted;
            posted = new ArrayList<>(1);
            woken = false;
        }
        tasksBefore.forEach(this::guarded);
        boolean nothing = false;
        try {
            nothing = !workers.term().ended() && planOnce(how);
        } catch (RuntimeException | Error e) {
            keep(how);
            failed(e);
        } finally {
            nextPlan = timer != null || writing || awaitsLog;
            synchronized (this) {
                idle = nothing;
            }
        }
    }

    /**
     * Runs a task and handles its exception, because a worker that stops after one failure would never release its
     * volume.
     */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Handles a failure of a service of the host: the worker plans again after a backoff. */
    private void failed(Throwable cause) {
        FailureLog.warn("Planning of volume " + key + " failed; it is repeated later", cause);
        refusals++;
        retryTimes.pause(cause, refusals);
        stopTimer();
        startTimer(retryTimes.pauseLeft());
    }

    private boolean planOnce(Urgency how) {
        if (writing) {
            keep(how);
            return false;
        }
        // The calls in flight are read before the state. A call that ends between the two reads then still counts as in
        // flight, and its end causes another plan. If the state were read first, it could lack the result of such a
        // call, and the worker would send the call again.
        InFlightSnapshot calls = operations.volumeCalls().inFlight(key);
        StateReader state = operations.state();
        // The unanswered commands are checked after the state was read. So the check finds each command of this engine
        // that is visible in the state but has not been answered.
        awaitsLog = operations.ports().log().delays(key);
        if (awaitsLog) {
            keep(how);
            return false;
        }
        stopTimer();
        plannedIndex = state.index();
        Volume volume = state.volume(key).orElse(null);
        Instant now = operations.now();
        if (how == Urgency.NOW) {
            tryNow = volume == null ? Set.of() : VolumeWorkers.retries(volume);
        }
        boolean formerCall = volume != null && isCalledByFormerKey(volume);
        InFlightSnapshot all = formerCall ? new InFlightSnapshot(true, calls.controller(), calls.node()) : calls;
        Plan plan = volume == null ? Plan.nothing() : VolumePlan.of(volume, facts(state, volume, all, now, how));
        Duration pause = retryTimes.pauseLeft();
        if (pause.compareTo(Duration.ZERO) > 0) {
            startTimer(pause);
        } else if (volume != null && !plan.idle()) {
            begin(plan, state, volume, now);
            if (plan.wakeAt().isPresent()) {
                startTimer(Duration.between(now, plan.wakeAt().get()));
            }
        }
        if (formerCall && timer == null) {
            startTimer(AFTER_FORMER_CALL);
        }
        if (!retryTimes.isEmpty()) {
            retryTimes.keepOnly(volume == null ? Set.of() : VolumeWorkers.retries(volume));
        }
        workers.sources().planned(key, volume, plan);
        if (volume != null && onlyWaits(plan) && calls.isEmpty()) {
            workers.pluginStates().planned(state, volume.pluginId());
        }
        workers.waits().check(key);
        return !writing
                && timer == null
                && retryTimes.isEmpty()
                && operations.volumeCalls().inFlight(key).isEmpty();
    }

    /** Returns whether a call is in flight that was begun before the volume was given up and got its present key. */
    private boolean isCalledByFormerKey(Volume volume) {
        return volume.formerKey()
                .filter(former -> operations.volumeCalls().inFlight(former).volume())
                .isPresent();
    }

    /** Starts the steps of a plan: sends its calls, and submits its transitions in one transaction. */
    private void begin(Plan plan, StateReader state, Volume volume, Instant now) {
        for (PlannedStep call : plan.calls()) {
            if (call.kind() == RemainingWork.Kind.REQUEST_FENCE) {
                workers.fences().ask(state, call.nodeId(), workers.term());
            } else {
                workers.calls().begin(workers.steps().of(call, volume), volume.pluginId());
            }
        }
        if (!plan.facts().isEmpty()) {
            TransitionCommands commands = new TransitionCommands(volume, now);
            write(state, volume, plan.facts().stream().map(commands::of).toList());
        }
    }

    private static boolean onlyWaits(Plan plan) {
        return plan.facts().isEmpty() && plan.calls().isEmpty() && !plan.waits().isEmpty();
    }

    private PlanFacts facts(StateReader state, Volume volume, InFlightSnapshot calls, Instant now, Urgency how) {
        return workers.facts(state, volume, now)
                .calls(calls)
                .sweep(how != Urgency.NORMAL)
                .tryNow(tryNow)
                .unusedFor(() -> unused.of(volume))
                .build();
    }

    private void startTimer(Duration delay) {
        timer = operations
                .ports()
                .timer()
                .schedule(delay.compareTo(NOT_AT_ONCE) < 0 ? NOT_AT_ONCE : delay, () -> wake(Urgency.NORMAL));
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Submits commands and their follow-ups. The worker makes no other plan before the log has answered. */
    private void write(StateReader state, Volume volume, List<Command> facts) {
        boolean oneByOne = refusals > 0;
        List<Command> all = oneByOne
                ? facts
                : workers.followUps().of(state, volume, operations.volumeCalls().inFlight(key), facts);
        CompletableFuture<Outcome> written = WorkerWrites.submit(operations, all, oneByOne);
        writing = true;
        var unused = written.whenComplete((outcome, failure) -> post(() -> {
            writing = false;
            written(outcome, failure);
        }));
    }

    private void written(@Nullable Outcome outcome, @Nullable Throwable failure) {
        if (outcome instanceof Outcome.Accepted) {
            refusals = 0;
            return;
        }
        notWritten(failure == null ? new NotLeadingException() : Failures.ofLog(failure));
    }

    /**
     * Handles a command that was rejected or not answered: the worker plans again from the current state, after a backoff.
     */
    private void notWritten(Throwable cause) {
        refusals++;
        if (refusals > 1 || cause instanceof UncertainCommandException || cause instanceof LogClosedException) {
            retryTimes.pause(cause, refusals);
        }
    }

    /** Handles the end of a call whose result is stored, that was refused for good, or whose result could not be stored. */
    private void ended(@Nullable Throwable failure) {
        if (failure == null) {
            refusals = 0;
        } else if (failure instanceof UncertainCommandException
                || failure instanceof LogClosedException
                || failure instanceof RejectedException
                || !(failure instanceof CsiException)) {
            // The result of the call is not stored, so the state does not say when to try again. The worker therefore
            // applies the backoff itself.
            notWritten(failure);
        }
    }
}

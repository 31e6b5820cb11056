package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a worker: plan, start the steps, store the results, plan again. A change of the volume wakes the worker,
 * also if the worker's own command made it, unless the worker has already planned for that state.
 */
final class PlanningLoop {
    private static final Duration NOT_AT_ONCE = Duration.ofMillis(1);

    private final VolumeWorker worker;
    private final VolumeWorkers workers;
    private final Operations operations;
    private final RetryTimes retryTimes;
    private Set<Retry> tryNow = Set.of();
    private boolean writing;
    private boolean awaitsLog;
    private volatile boolean nextPlan;
    private int refusals;
    /** The elapsed time until which the worker makes no plan, after a failure; null if there was none. */
    private @Nullable Long pausedUntil;

    private @Nullable Cancellable timer;
    private volatile long plannedIndex = -1;

    PlanningLoop(VolumeWorker worker) {
        this.worker = worker;
        this.workers = worker.workers();
        this.operations = workers.operations();
        this.retryTimes = new RetryTimes(operations);
    }

    VolumeWorker worker() {
        return worker;
    }

    RetryTimes retryTimes() {
        return retryTimes;
    }

    long plannedIndex() {
        return plannedIndex;
    }

    /** Returns whether a timer, or the answer to a command, causes the next plan. */
    boolean hasNextPlan() {
        return nextPlan;
    }

    /** Runs the waiting tasks and plans once. Returns true if the worker has nothing left to do. */
    boolean turn(List<Runnable> tasks, Urgency how) {
        tasks.forEach(this::guarded);
        try {
            return !workers.term().ended() && planOnce(how);
        } catch (RuntimeException | Error e) {
            worker.keep(how);
            failed(e);
            return false;
        } finally {
            nextPlan = timer != null || writing || awaitsLog;
        }
    }

    /** Ends the loop at the end of the term of leadership. */
    void end() {
        stopTimer();
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
        FailureLog.warn("Planning of volume " + worker.key() + " failed; it is repeated later", cause);
        refusals++;
        pause(cause);
        stopTimer();
        startTimer(pauseLeft());
    }

    private void pause(Throwable cause) {
        pausedUntil = operations.ports().nanoTime()
                + operations.retryLoop().backoff(cause, refusals).toNanos();
    }

    private Duration pauseLeft() {
        return pausedUntil == null
                ? Duration.ZERO
                : Duration.ofNanos(pausedUntil - operations.ports().nanoTime());
    }

    private boolean planOnce(Urgency how) {
        if (writing) {
            worker.keep(how);
            return false;
        }
        // The calls in flight are read before the state. A call that ends between the two reads then still counts as in
        // flight, and its end causes another plan. If the state were read first, it could lack the result of such a
        // call, and the worker would send the call again.
        InFlightSnapshot calls = workers.inFlightCalls().of(worker.key());
        StateReader state = operations.state();
        // The unanswered commands are checked after the state was read. So the check finds each command of this engine
        // that is visible in the state but has not been answered.
        awaitsLog = operations.ports().log().delays(worker.key());
        if (awaitsLog) {
            worker.keep(how);
            return false;
        }
        stopTimer();
        plannedIndex = state.index();
        Volume volume = state.volume(worker.key()).orElse(null);
        Instant now = operations.now();
        if (how == Urgency.NOW) {
            tryNow = volume == null ? Set.of() : VolumeWorkers.retries(volume);
        }
        Plan plan = volume == null ? Plan.nothing() : VolumePlan.of(volume, facts(state, volume, calls, now, how));
        Duration pause = pauseLeft();
        if (pause.compareTo(Duration.ZERO) > 0) {
            startTimer(pause);
        } else if (volume != null && !plan.idle()) {
            begin(plan, state, volume, now);
            if (plan.wakeAt().isPresent()) {
                startTimer(Duration.between(now, plan.wakeAt().get()));
            }
        }
        if (!retryTimes.isEmpty()) {
            retryTimes.keepOnly(volume == null ? Set.of() : VolumeWorkers.retries(volume));
        }
        workers.sources().planned(worker.key(), volume, plan);
        if (volume != null && onlyWaits(plan) && calls.equals(InFlightSnapshot.none())) {
            workers.pluginStates().planned(state, volume.pluginId());
        }
        InFlightSnapshot begun = workers.inFlightCalls().of(worker.key());
        workers.waits().check(worker.key());
        return begun.equals(InFlightSnapshot.none()) && !writing && timer == null && retryTimes.isEmpty();
    }

    /** Starts the steps of a plan: sends its calls, and submits its transitions in one transaction. */
    private void begin(Plan plan, StateReader state, Volume volume, Instant now) {
        for (PlannedStep call : plan.calls()) {
            if (call.kind() == RemainingWork.Kind.REQUEST_FENCE) {
                workers.fences().ask(state, call.nodeId(), workers.term());
            } else {
                workers.calls().begin(workers.steps().of(call, volume));
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
        return workers.facts(state, volume, calls, now)
                .sweep(how != Urgency.NORMAL)
                .tryNow(tryNow)
                .build();
    }

    private void startTimer(Duration delay) {
        timer = operations
                .ports()
                .timer()
                .schedule(delay.compareTo(NOT_AT_ONCE) < 0 ? NOT_AT_ONCE : delay, this::timeCame);
    }

    private void timeCame() {
        boolean unused = worker.wake(Urgency.NORMAL);
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
                : workers.followUps().of(state, volume, workers.inFlightCalls().of(worker.key()), facts);
        CompletableFuture<Outcome> written = WorkerWrites.submit(operations, all, oneByOne);
        writing = true;
        var unused = written.whenComplete((outcome, failure) -> worker.post(() -> {
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
            pause(cause);
        }
    }

    /**
     * Handles the end of a call. Its result has been stored, or the plugin refused permanently, or storing the result
     * failed.
     *
     * @param failure the refusal, or the failure to store the result; null if the call succeeded or will be retried
     */
    void callEnded(@Nullable Throwable failure) {
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

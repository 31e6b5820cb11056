package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plan.CallsUnderWay;
import io.csi4j.core.plan.Plan;
import io.csi4j.core.plan.PlanFacts;
import io.csi4j.core.plan.VolumePlan;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The shell of one volume: asks the planner, begins what it answers, writes down what came of it, and asks
 * again. It runs one turn at a time in the engine's executor and blocks nobody; wake-ups while it is at it
 * become one. What it wrote itself does not wake it: it looks again anyway once that is applied.
 */
final class Lane {
    private static final Duration NOT_AT_ONCE = Duration.ofMillis(1);

    /** How hard to look. */
    enum Urgency {
        /** At what is unsettled, when its time has come. */
        NORMAL,
        /** At claims that are held as well. */
        SWEEP,
        /** At all, and without waiting for the time of the next attempt. */
        NOW
    }

    private final Lanes lanes;
    private final VolumeKey key;
    private final LaneWrites writes;

    // Guarded by this.
    private final Queue<Runnable> mail = new ArrayDeque<>(2);
    private final List<LaneWaiter> arrived = new ArrayList<>(1);
    private Urgency urgency = Urgency.NORMAL;
    private boolean woken;
    private boolean running;
    private boolean idle;
    private boolean closed;

    // Only touched in turns.
    private final List<LaneWaiter> waiters = new ArrayList<>(1);
    private Set<Retry> tryNow = Set.of();
    private boolean writing;
    private int refusals;
    private int volumeFailures;
    private @Nullable Instant volumeRetry;
    private @Nullable Instant pause;
    private @Nullable Cancellable timer;
    private volatile long seen = -1;

    Lane(Lanes lanes, VolumeKey key) {
        this.lanes = lanes;
        this.key = key;
        this.writes = new LaneWrites(lanes.operations());
    }

    VolumeKey key() {
        return key;
    }

    Lanes lanes() {
        return lanes;
    }

    /** The index of the state it looked at last. */
    long seen() {
        return seen;
    }

    /** Answers false if the lane is no more. */
    boolean wake(Urgency how) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            woken = true;
            urgency = how.compareTo(urgency) > 0 ? how : urgency;
            if (!schedule()) {
                return true;
            }
        }
        execute();
        return true;
    }

    /** Answers false if the lane is no more. */
    boolean await(LaneWaiter waiter, Urgency how) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            arrived.add(waiter);
        }
        // If the lane was closed in between, who closed it tells the waiter; it is not dropped otherwise.
        boolean unused = wake(how);
        return true;
    }

    /** Does something in a turn, and looks again after it. */
    void post(Runnable task) {
        synchronized (this) {
            if (closed) {
                return;
            }
            mail.add(task);
            if (!schedule()) {
                return;
            }
        }
        execute();
    }

    private boolean schedule() {
        if (running) {
            return false;
        }
        running = true;
        return true;
    }

    private void execute() {
        lanes.operations().ports().executor().execute(this::turn);
    }

    /** Whether it may be dropped; from then on it does nothing. */
    synchronized boolean retired() {
        if (closed || running || woken || !mail.isEmpty() || !arrived.isEmpty() || !idle) {
            return closed;
        }
        closed = true;
        return true;
    }

    /** Ends it with its term, in a last turn. */
    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            mail.add(this::end);
            if (!schedule()) {
                return;
            }
        }
        execute();
    }

    private void end() {
        stopTimer();
        List<LaneWaiter> told = new ArrayList<>(waiters);
        waiters.clear();
        told.forEach(LaneWaiter::over);
    }

    private void turn() {
        boolean again = true;
        while (again) {
            Urgency how;
            List<Runnable> tasks;
            synchronized (this) {
                tasks = new ArrayList<>(mail);
                mail.clear();
                waiters.addAll(arrived);
                arrived.clear();
                how = urgency;
                urgency = Urgency.NORMAL;
                woken = false;
            }
            tasks.forEach(this::guarded);
            boolean nothing = looked(how);
            synchronized (this) {
                idle = nothing;
                again = !mail.isEmpty() || (!closed && (woken || !arrived.isEmpty()));
                running = again;
            }
        }
        lanes.retire(this);
    }

    /** A lane that one failure stops would never release its volume. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private boolean looked(Urgency how) {
        try {
            return !lanes.term().over() && look(how);
        } catch (RuntimeException e) {
            keep(how);
            failed(e);
            return false;
        }
    }

    /** Something the lane stands on failed, a port of the host most likely: it is looked at again later. */
    private void failed(RuntimeException why) {
        FailureLog.warn("A look at volume " + key + " failed; it is taken again later", why);
        refusals++;
        Instant now = lanes.operations().now();
        pause = now.plus(lanes.operations().repetition().wait(why, refusals));
        stopTimer();
        startTimer(pause, now);
    }

    /** Answers whether there is nothing to come back for. */
    private boolean look(Urgency how) {
        if (writing) {
            keep(how);
            return false;
        }
        stopTimer();
        // Before the state: a call that ends in between is still under way here, and looked at again. The other way
        // round it would be made again for what it has already done.
        CallsUnderWay calls = lanes.underWay().of(key);
        StateReader state = lanes.operations().state();
        seen = state.index();
        Optional<Volume> volume = state.volume(key);
        Instant now = lanes.operations().now();
        if (how == Urgency.NOW) {
            volumeRetry = null;
            tryNow = volume.map(Lane::retries).orElse(Set.of());
        }
        Plan plan = volume.map(known -> VolumePlan.of(known, facts(state, known, calls, now, how)))
                .orElse(Plan.nothing());
        if (pause != null && pause.isAfter(now)) {
            startTimer(pause, now);
        } else {
            volume.ifPresent(known -> new LaneTurn(this, state, known, calls).begin(plan));
            plan.wakeAt().ifPresent(at -> startTimer(at, now));
        }
        CallsUnderWay begun = lanes.underWay().of(key);
        waiters.removeIf(waiter -> waiter.look(state, plan, begun));
        return begun.equals(CallsUnderWay.none()) && !writing && timer == null && waiters.isEmpty();
    }

    private static Set<Retry> retries(Volume volume) {
        Set<Retry> retries = new HashSet<>();
        volume.claims().forEach(claim -> retries.add(claim.retry()));
        volume.attachments().forEach(attachment -> retries.add(attachment.retry()));
        volume.modification().ifPresent(wish -> retries.add(wish.retry()));
        volume.expansion().ifPresent(wish -> {
            retries.add(wish.retry());
            wish.nodes().values().forEach(step -> retries.add(step.retry()));
        });
        return retries;
    }

    private synchronized void keep(Urgency how) {
        urgency = how.compareTo(urgency) > 0 ? how : urgency;
    }

    private PlanFacts facts(StateReader state, Volume volume, CallsUnderWay calls, Instant now, Urgency how) {
        return PlanFacts.from(state, volume, now)
                .defaultFencing(lanes.operations().ports().options().fencingPolicy())
                .calls(calls)
                .maxControllerCalls(lanes.operations().ports().options().callsPerVolume(volume.pluginId()))
                .fenceRequested(lanes.fences().asked(state))
                .volumeRetry(volumeRetry)
                .sweep(how != Urgency.NORMAL)
                .tryNow(tryNow)
                .build();
    }

    private void startTimer(Instant at, Instant now) {
        Duration delay = Duration.between(now, at);
        timer = lanes.operations()
                .ports()
                .timer()
                .schedule(delay.compareTo(NOT_AT_ONCE) < 0 ? NOT_AT_ONCE : delay, this::timeCame);
    }

    private void timeCame() {
        boolean unused = wake(Urgency.NORMAL);
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Writes facts down; nothing else is planned before they are applied. */
    void write(LaneWrites.Facts facts) {
        CompletableFuture<Outcome> written = writes.submit(facts, refusals > 0);
        writing = true;
        var unused = written.whenComplete((outcome, failure) -> post(() -> {
            writing = false;
            written(outcome, failure);
        }));
    }

    private void written(@Nullable Outcome outcome, @Nullable Throwable failure) {
        if (outcome instanceof Outcome.Accepted accepted) {
            refusals = 0;
            if (LaneWrites.freesClaims(accepted)) {
                lanes.events().freed(key);
            }
            return;
        }
        notWritten(failure == null ? new NotLeadingException() : new UncertainCommandException(Failures.of(failure)));
    }

    /**
     * Refused: the state is another one than planned with. No answer: the state tells what came of it. Either
     * way it is looked at again, and not in a hot loop.
     */
    private void notWritten(Throwable why) {
        refusals++;
        if (refusals > 1 || why instanceof UncertainCommandException) {
            pause = lanes.operations()
                    .now()
                    .plus(lanes.operations().repetition().wait(why, refusals));
        }
    }

    /** A call ended, and what came of it is written; or it failed for good, or could not be written. */
    void callEnded(NodeId nodeId, @Nullable Throwable failure) {
        if (failure == null) {
            refusals = 0;
        } else if (failure instanceof UncertainCommandException
                || failure instanceof RejectedException
                || !(failure instanceof CsiException)) {
            // What is not even told as a failure of the call left nothing written that would put off the next one.
            notWritten(failure);
        } else {
            waiters.removeIf(waiter -> waiter.refused(nodeId, failure));
        }
    }

    /** A call about the volume itself ended. */
    void volumeCallEnded(@Nullable Throwable failure) {
        if (failure == null) {
            volumeFailures = 0;
            volumeRetry = null;
        } else {
            volumeFailures++;
            volumeRetry = lanes.operations()
                    .now()
                    .plus(lanes.operations().repetition().wait(Failures.of(failure), volumeFailures));
        }
    }
}

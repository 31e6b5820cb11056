package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The shell of one volume: has it looked at, one turn at a time, in the engine's executor. It blocks nobody;
 * wake-ups while it is at it become one. What it does in a turn is {@link PlanningLoop}.
 */
public final class VolumeWorker {
    /** How hard to look. */
    public enum Urgency {
        /** At what is unsettled, when its time has come. */
        NORMAL,
        /** At claims that are held as well. */
        SWEEP,
        /** At all, and without waiting for the time of the next attempt. */
        NOW;

        Urgency or(Urgency other) {
            return other.compareTo(this) > 0 ? other : this;
        }
    }

    private final VolumeWorkers lanes;
    private final VolumeKey key;
    private final PlanningLoop work;

    // Guarded by this.
    private List<Runnable> mail = List.of();
    private List<StateWaiter> arrived = List.of();
    private Urgency urgency = Urgency.NORMAL;
    private boolean woken;
    private boolean running;
    private boolean idle;
    private boolean closed;

    VolumeWorker(VolumeWorkers lanes, VolumeKey key) {
        this.lanes = lanes;
        this.key = key;
        this.work = new PlanningLoop(this);
    }

    VolumeKey key() {
        return key;
    }

    VolumeWorkers lanes() {
        return lanes;
    }

    /** The index of the state it looked at last. */
    long seen() {
        return work.seen();
    }

    /** Answers false if the lane is no more. */
    boolean wake(Urgency how) {
        return wake(how, lanes.looks());
    }

    private boolean wake(Urgency how, Executor looks) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            woken = true;
            urgency = urgency.or(how);
            if (!schedule()) {
                return true;
            }
        }
        looks.execute(this::turn);
        return true;
    }

    /** Answers false if the lane is no more. */
    boolean await(StateWaiter waiter, Urgency how) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            arrived = with(arrived, waiter);
        }
        // If the lane was closed in between, who closed it tells the waiter; it is not dropped otherwise.
        boolean unused = wake(how, lanes.operations().ports().executor()::next);
        return true;
    }

    /** Does something in a turn, and looks again after it. */
    void post(Runnable task) {
        synchronized (this) {
            if (closed) {
                return;
            }
            mail = with(mail, task);
            if (!schedule()) {
                return;
            }
        }
        execute();
    }

    /** Most lanes never have more than one at a time. */
    private static <T> List<T> with(List<T> list, T one) {
        List<T> longer = list.isEmpty() ? new ArrayList<>(1) : list;
        longer.add(one);
        return longer;
    }

    /** The look that is under way is to be taken again, as hard. */
    synchronized void keep(Urgency how) {
        urgency = urgency.or(how);
    }

    private boolean schedule() {
        if (running) {
            return false;
        }
        running = true;
        return true;
    }

    private void execute() {
        lanes.operations().ports().executor().next(this::turn);
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
            mail = with(mail, work::end);
            if (!schedule()) {
                return;
            }
        }
        execute();
    }

    private void turn() {
        boolean again = true;
        while (again) {
            Urgency how;
            List<Runnable> tasks;
            List<StateWaiter> waiters;
            synchronized (this) {
                tasks = mail;
                mail = List.of();
                waiters = arrived;
                arrived = List.of();
                how = urgency;
                urgency = Urgency.NORMAL;
                woken = false;
            }
            boolean nothing = work.turn(tasks, waiters, how);
            synchronized (this) {
                idle = nothing;
                again = !mail.isEmpty() || (!closed && (woken || !arrived.isEmpty()));
                running = again;
            }
        }
        lanes.retire(this);
    }
}

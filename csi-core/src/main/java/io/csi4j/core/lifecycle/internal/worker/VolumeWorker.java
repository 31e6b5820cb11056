package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The worker of one volume on the server. It runs one task at a time in the engine's executor and never blocks; wake-ups during
 * a task become one. {@link PlanningLoop} has the steps of a task.
 */
public final class VolumeWorker {
    /** The extent of a plan. */
    public enum Urgency {
        /** Plans unsettled volumes whose next attempt is due. */
        NORMAL,
        /** Plans also volumes whose claims are held. */
        SWEEP,
        /** Plans in any case, without waiting for the time of the next attempt. */
        NOW;

        Urgency or(Urgency other) {
            return other.compareTo(this) > 0 ? other : this;
        }
    }

    private final VolumeWorkers lanes;
    private final VolumeKey key;
    private final PlanningLoop work;

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

    /** Returns the index of the last state that the worker planned for. */
    long seen() {
        return work.seen();
    }

    /** Returns false if the worker was removed. */
    boolean wake(Urgency how) {
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
        execute();
        return true;
    }

    /** Returns false if the worker was removed. */
    boolean await(StateWaiter waiter, Urgency how) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            arrived = with(arrived, waiter);
        }
        // If the worker is closed in between, close() ends the waiter.
        boolean unused = wake(how);
        return true;
    }

    /** Runs a task, and plans after it. */
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

    /** Avoids a growing list, because most workers never have more than one entry. */
    private static <T> List<T> with(List<T> list, T one) {
        List<T> longer = list.isEmpty() ? new ArrayList<>(1) : list;
        longer.add(one);
        return longer;
    }

    /** Requests another plan of the same extent after the current one. */
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
        lanes.operations().ports().executor().execute(this::turn);
    }

    /** Removes the worker if it has nothing to do, and returns whether it was removed. */
    synchronized boolean retired() {
        if (closed || running || woken || !mail.isEmpty() || !arrived.isEmpty() || !idle) {
            return closed;
        }
        closed = true;
        return true;
    }

    /** Ends the worker with its term, in a last task. */
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

package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The worker of one volume on the server. It runs one task at a time in the engine's executor and never blocks. All
 * wake-ups during a task together cause one more task. {@link PlanningLoop} has the steps of a task.
 */
public final class VolumeWorker {
    /** How urgent a plan is, from the least to the most urgent. */
    public enum Urgency {
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
    private final PlanningLoop work;

    private List<Runnable> mail = List.of();
    private Urgency urgency = Urgency.NORMAL;
    private boolean woken;
    private boolean running;
    private boolean idle;
    private boolean closed;

    VolumeWorker(VolumeWorkers workers, VolumeKey key) {
        this.workers = workers;
        this.key = key;
        this.work = new PlanningLoop(this);
    }

    VolumeKey key() {
        return key;
    }

    RetryTimes retryTimes() {
        return work.retryTimes();
    }

    VolumeWorkers workers() {
        return workers;
    }

    /** Returns the index of the last state that the worker planned for. */
    long plannedIndex() {
        return work.plannedIndex();
    }

    /** Requests a plan. Returns false if the worker was removed. */
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

    /**
     * Runs a task in the serial execution of the volume, and plans afterwards. Returns false if the worker was removed;
     * the task then does not run.
     */
    boolean post(Runnable task) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            mail = with(mail, task);
            if (!schedule()) {
                return true;
            }
        }
        execute();
        return true;
    }

    /** Handles the end of a call, and plans afterwards. Returns false if the worker was removed. */
    boolean callEnded(@Nullable Throwable failure) {
        return post(() -> work.callEnded(failure));
    }

    /**
     * Returns whether the worker will plan without another wake-up: it runs, has a task, waits for the answer to its
     * own command, or has a timer.
     */
    synchronized boolean attends() {
        return !closed && (running || woken || !mail.isEmpty() || work.hasNextPlan());
    }

    /**
     * Adds a task to the waiting ones. A new list has a capacity of one to save memory, because most lists
     * never have more than one element.
     */
    private static <T> List<T> with(List<T> list, T one) {
        List<T> longer = list.isEmpty() ? new ArrayList<>(1) : list;
        longer.add(one);
        return longer;
    }

    /** Makes the next plan at least as urgent as a plan that could not be made. */
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
        workers.operations().ports().executor().execute(this::turn);
    }

    /** Removes the worker if it has nothing to do, and returns whether it was removed. */
    synchronized boolean retired() {
        if (closed || running || woken || !mail.isEmpty() || !idle) {
            return closed;
        }
        closed = true;
        return true;
    }

    /** Ends the worker at the end of the term of leadership, in a last task. */
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
            synchronized (this) {
                tasks = mail;
                mail = List.of();
                how = urgency;
                urgency = Urgency.NORMAL;
                woken = false;
            }
            boolean nothing = turn(tasks, how);
            synchronized (this) {
                idle = nothing;
                again = !mail.isEmpty() || (!closed && woken);
                running = again;
            }
        }
        workers.retire(this);
    }

    /**
     * Runs one task of the planning loop. The loop handles failures itself; if that fails too, for example because the
     * host's timer throws, the worker stays usable, and the next wake-up or scan plans again.
     */
    private boolean turn(List<Runnable> tasks, Urgency how) {
        try {
            return work.turn(tasks, how);
        } catch (RuntimeException | Error e) {
            FailureLog.warn("Planning of volume " + key + " failed, and so did its repetition; a scan repeats it", e);
            return false;
        }
    }
}

package io.csi4j.simulation.internal.time;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One process of a server; its pending tasks and timers end with a crash, and wait while it stands still. */
public final class SimProcess implements Executor, Timer {
    private static final Duration MAX_HANDOVER_DELAY = Duration.ofMillis(1);
    /** The time in which a process that continues runs the timers that are due, and the tasks that these start. */
    private static final Duration MAX_WAKING = MAX_HANDOVER_DELAY.multipliedBy(3);

    private final SimScheduler scheduler;
    private boolean alive = true;
    private boolean replaced;
    private Duration leadsSince = Duration.ZERO;
    /** The number of writes and calls until the process crashes; 0: no crash is planned. */
    private int operationsLeft;

    private boolean lastIsPerformed;
    private Runnable onCrash = () -> {};
    private boolean paused;
    /** The end of the last pause; null: the process never stood still. */
    private @Nullable Duration woken;
    /** The tasks that became due while the process stood still. */
    private final List<Runnable> deferred = new ArrayList<>();

    public SimProcess(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Records that this process begins to lead. */
    public void leads() {
        leadsSince = scheduler.elapsed();
    }

    /** The time since the start of the run at which this process began to lead last. */
    public Duration leadsSince() {
        return leadsSince;
    }

    public boolean alive() {
        return alive;
    }

    /** Records that another server leads from now on. This process continues to work. */
    public void retire() {
        replaced = true;
    }

    public boolean replaced() {
        return replaced;
    }

    public void crash() {
        alive = false;
    }

    /**
     * Makes the process crash at a later write or call.
     *
     * @param operation the number of the write or call, from 1 on
     * @param performed whether the process still performs that write or call before it crashes
     * @param crashed runs after the crash
     */
    public void crashAt(int operation, boolean performed, Runnable crashed) {
        operationsLeft = operation;
        lastIsPerformed = performed;
        onCrash = crashed;
    }

    /** Cancels the crash that was planned. */
    public void cancelCrash() {
        operationsLeft = 0;
    }

    /**
     * Counts a write or a call before the process performs it, and crashes the process if the crash is planned for it.
     * Returns whether the write or call is performed.
     */
    public boolean begins() {
        if (!alive) {
            return false;
        }
        if (operationsLeft > 0 && --operationsLeft == 0) {
            crash();
            onCrash.run();
            return lastIsPerformed;
        }
        return true;
    }

    @Override
    public void execute(Runnable task) {
        scheduler.within(MAX_HANDOVER_DELAY, () -> run(task));
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Scheduled scheduled = new Scheduled(task);
        scheduler.after(delay, () -> run(scheduled));
        return scheduled;
    }

    @Override
    public long nanoTime() {
        return scheduler.elapsed().toNanos();
    }

    /** Runs the task if the process is alive; later, if it stands still. */
    public void run(Runnable task) {
        if (paused) {
            deferred.add(task);
        } else if (alive) {
            task.run();
        }
    }

    /** Makes the process stand still, as SIGSTOP does. */
    public void pause() {
        paused = true;
    }

    /** Lets the process continue. The tasks that became due meanwhile begin at once, in any order. */
    public void wake() {
        if (!paused) {
            return;
        }
        paused = false;
        woken = scheduler.elapsed();
        deferred.forEach(this::execute);
        deferred.clear();
    }

    public boolean paused() {
        return paused;
    }

    /**
     * Returns whether the process stands still, or has continued so recently that it may not know yet how long it stood
     * still.
     */
    public boolean isBehind() {
        return paused || (woken != null && scheduler.elapsed().minus(woken).compareTo(MAX_WAKING) <= 0);
    }

    private static final class Scheduled implements Cancellable, Runnable {
        private final Runnable task;
        private boolean cancelled;

        Scheduled(Runnable task) {
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public void run() {
            if (!cancelled) {
                task.run();
            }
        }
    }
}

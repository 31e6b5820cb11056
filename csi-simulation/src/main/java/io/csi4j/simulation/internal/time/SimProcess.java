package io.csi4j.simulation.internal.time;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;

/** One process of a server; its pending tasks and timers end with a crash. */
public final class SimProcess implements Executor, Timer {
    private static final Duration MAX_HANDOVER_DELAY = Duration.ofMillis(1);

    private final SimScheduler scheduler;
    private boolean alive = true;
    private boolean replaced;
    private Duration leadsSince = Duration.ZERO;
    /** The number of writes and calls until the process crashes; 0: no crash is planned. */
    private int operationsLeft;

    private boolean lastIsPerformed;
    private Runnable onCrash = () -> {};

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

    /** Runs the task if the process is alive. */
    public void run(Runnable task) {
        if (alive) {
            task.run();
        }
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

package io.csi4j.examples.steps;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Handles Ctrl-C and SIGTERM: waits for the current step, prevents further steps, and undoes all completed steps. The JVM then ends with
 * 130 or 143.
 */
public final class Interruption {
    /** The time after which a hanging call is cancelled; longer than a healthy plugin needs. */
    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration UNDO_STEP_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration UNDO_TIMEOUT = Duration.ofSeconds(30);

    private final StepRunner steps;
    private final Duration stepTimeout;

    private Interruption(StepRunner steps, Duration stepTimeout) {
        this.steps = steps;
        this.stepTimeout = stepTimeout;
    }

    /**
     * Undoes all steps when the JVM receives a signal.
     *
     * @param steps the steps to undo
     */
    public static void watch(StepRunner steps) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(steps), "csi4j-example-interrupted"));
    }

    /**
     * Interrupts a run and returns when all its steps are undone. Does nothing if the run has ended.
     *
     * @param steps the steps to undo; none runs after this call
     */
    public static void stop(StepRunner steps) {
        stop(steps, STEP_TIMEOUT);
    }

    static void stop(StepRunner steps, Duration stepTimeout) {
        new Interruption(steps, stepTimeout).stop();
    }

    /**
     * Takes the lock of the steps and keeps it, so that no further step runs. Once it has the lock, undoes all steps.
     */
    private void stop() {
        boolean locked = acquireLock();
        if (!locked) {
            steps.calls().stop();
            locked = acquireLock();
        }
        if (steps.ended()) {
            return;
        }
        if (locked) {
            undoAll();
            steps.leftovers().forEach(this::printLeftover);
        } else {
            steps.log().print("Interrupted, but the current step does not end (a hung mount?): nothing is undone.");
            steps.pending().forEach(this::printLeftover);
        }
    }

    private void undoAll() {
        steps.calls().resume();
        steps.log().print("Interrupted: undoing all steps; this ends within a minute.");
        long deadline = System.nanoTime() + UNDO_TIMEOUT.toNanos();
        for (int mark = steps.mark(); mark > 0; mark--) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            steps.calls().setLimit(left.compareTo(UNDO_STEP_TIMEOUT) < 0 ? left : UNDO_STEP_TIMEOUT);
            steps.undoTo(mark - 1);
        }
    }

    private void printLeftover(String leftover) {
        steps.log().print("Left behind: " + leftover);
    }

    private boolean acquireLock() {
        try {
            return steps.lock().tryLock(stepTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

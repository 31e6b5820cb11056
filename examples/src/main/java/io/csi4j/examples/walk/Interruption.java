package io.csi4j.examples.walk;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM) in the middle of a walk: waits for the step that is under way, lets no other step
 * begin, and goes all the way back. The JVM then ends with 130 or 143.
 */
public final class Interruption {
    /** Longer than a healthy plugin needs; a call that hangs is given up after this. */
    private static final Duration STEP_UNDER_WAY = Duration.ofSeconds(5);

    private static final Duration EACH_STEP_BACK = Duration.ofSeconds(10);
    private static final Duration ALL_STEPS_BACK = Duration.ofSeconds(30);

    private final Walk walk;
    private final Duration stepUnderWay;

    private Interruption(Walk walk, Duration stepUnderWay) {
        this.walk = walk;
        this.stepUnderWay = stepUnderWay;
    }

    /**
     * Sees to it that a signal ends the walk well.
     *
     * @param walk the walk
     */
    public static void watch(Walk walk) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(walk), "csi4j-example-interrupted"));
    }

    /**
     * Ends a walk that may be under way, and returns when it went all the way back. Does nothing to a walk
     * that has ended.
     *
     * @param walk the walk, which does no step after this
     */
    public static void stop(Walk walk) {
        stop(walk, STEP_UNDER_WAY);
    }

    static void stop(Walk walk, Duration stepUnderWay) {
        new Interruption(walk, stepUnderWay).stop();
    }

    /** The turn is never given back: whatever else the walk wanted to do does not happen. */
    private void stop() {
        boolean ourTurn = takeTurn();
        if (!ourTurn) {
            walk.calls().giveUp();
            ourTurn = takeTurn();
        }
        if (walk.ended()) {
            return;
        }
        if (ourTurn) {
            goBack();
            walk.leftovers().forEach(this::leftBehind);
        } else {
            walk.log().say("Interrupted, but the step under way does not end (a hung mount?): nothing is taken back.");
            walk.pending().forEach(this::leftBehind);
        }
    }

    private void goBack() {
        walk.calls().resume();
        walk.log().say("Interrupted: taking back what was done.");
        long deadline = System.nanoTime() + ALL_STEPS_BACK.toNanos();
        for (int place = walk.here(); place > 0; place--) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            walk.calls().limit(left.compareTo(EACH_STEP_BACK) < 0 ? left : EACH_STEP_BACK);
            walk.backTo(place - 1);
        }
    }

    private void leftBehind(String leftover) {
        walk.log().say("Left behind: " + leftover);
    }

    private boolean takeTurn() {
        try {
            return walk.turn().tryLock(stepUnderWay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

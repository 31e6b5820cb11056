package io.csi4j.registry.internal.connection;

import java.time.Duration;

/**
 * The elapsed time of a decision, with a random number for jitter.
 *
 * @param nanos elapsed time; only differences mean something
 * @param chance at least 0, below 1
 */
public record Moment(long nanos, double chance) {
    /** The moment after a wait of {@code wait}, up to a tenth shorter or longer. */
    public long around(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.9 + chance / 5));
    }

    /**
     * The same, on a beat if there is one among the moments that are allowed: those who share a clock do then what they
     * do now and then at the same moments, and their machine sleeps in between.
     */
    public long aroundOnBeat(Duration wait, Duration beat) {
        long at = around(wait);
        long before = at - Math.floorMod(at, beat.toNanos());
        if (before - earliest(wait) >= 0) {
            return before;
        }
        long after = before + beat.toNanos();
        return after - latest(wait) <= 0 ? after : at;
    }

    private long earliest(Duration wait) {
        return nanos + wait.toNanos() / 10 * 9;
    }

    private long latest(Duration wait) {
        return nanos + wait.toNanos() / 10 * 11;
    }

    /** The moment after a wait of between half of {@code wait} and all of it. */
    public long within(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.5 + chance / 2));
    }
}

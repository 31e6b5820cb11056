package io.csi4j.client.registry.internal.connection;

import java.time.Duration;

/**
 * The elapsed time at which the rules decide, with a random number for jitter.
 *
 * @param nanos the elapsed time; only differences are meaningful
 * @param chance the random number; at least 0, below 1
 */
public record Moment(long nanos, double chance) {
    /** Returns the time after a random wait, which is up to a tenth shorter or longer than {@code wait}. */
    public long around(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.9 + chance / 5));
    }

    /**
     * Returns a time after a wait that is up to a tenth shorter or longer. Prefers a multiple of {@code beat} in this
     * range, so that the timers of several connections expire at the same time.
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

    /** Returns the time after a random part of {@code wait}: at least half of it, at most all of it. */
    public long within(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.5 + chance / 2));
    }
}

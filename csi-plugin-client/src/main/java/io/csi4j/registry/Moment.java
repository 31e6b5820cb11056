package io.csi4j.registry;

import java.time.Duration;

/**
 * What a decision knows besides the state: the time, and a random number for jitter.
 *
 * @param nanos elapsed time; only differences mean something
 * @param chance at least 0, below 1
 */
record Moment(long nanos, double chance) {
    /** The moment after a wait of {@code wait}, up to a tenth shorter or longer. */
    long around(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.9 + chance / 5));
    }

    /** The moment after a wait of between half of {@code wait} and all of it. */
    long within(Duration wait) {
        return nanos + (long) (wait.toNanos() * (0.5 + chance / 2));
    }
}

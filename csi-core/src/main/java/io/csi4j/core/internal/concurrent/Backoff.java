package io.csi4j.core.internal.concurrent;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Computes the delay before the next attempt. The delay grows exponentially and is random, so that callers that failed
 * together do not retry together. A delay is never shorter than a tenth of the first delay. Thread-safe.
 */
public final class Backoff {
    private static final int SMALLEST_PART = 10;

    private final long firstNanos;
    private final long maxNanos;
    private final RandomGenerator random;

    /**
     * Creates a backoff.
     *
     * @param first the longest delay after the first failed attempt; above zero
     * @param max the longest delay after any attempt; not below {@code first}
     * @param random the source of random numbers; the backoff locks the generator during each use, because not every
     *     generator is thread-safe
     * @throws IllegalArgumentException if the delays are out of bounds
     */
    public Backoff(Duration first, Duration max, RandomGenerator random) {
        this.firstNanos = first.toNanos();
        this.maxNanos = max.toNanos();
        this.random = Objects.requireNonNull(random, "random");
        if (firstNanos <= 0 || maxNanos < firstNanos) {
            throw new IllegalArgumentException("backoff: first delay is " + first + " and longest delay is " + max
                    + "; the first must be above zero and not above the longest");
        }
    }

    /**
     * Returns the delay after failed attempts.
     *
     * @param failures the number of failed attempts; a number below 1 counts as 1
     * @return a random delay. After one failure it is at most {@code first}; each further failure doubles this limit,
     *     up to {@code max}
     */
    public Duration after(int failures) {
        long ceiling = ceiling(failures);
        long floor = Math.max(1, firstNanos / SMALLEST_PART);
        long delay;
        synchronized (random) {
            delay = random.nextLong(ceiling) + 1;
        }
        return Duration.ofNanos(Math.max(floor, delay));
    }

    /**
     * Returns the longest delay after failed attempts.
     *
     * @param failures the number of failed attempts; a number below 1 counts as 1
     */
    public Duration longest(int failures) {
        return Duration.ofNanos(Math.max(Math.max(1, firstNanos / SMALLEST_PART), ceiling(failures)));
    }

    private long ceiling(int failures) {
        int doublings = Math.min(Math.max(failures, 1) - 1, 62);
        return firstNanos > (maxNanos >> doublings) ? maxNanos : firstNanos << doublings;
    }
}

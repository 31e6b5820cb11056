package io.csi4j.core.lifecycle;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * How long to wait after a failed attempt: exponential with full jitter, so that those who failed
 * together do not come back together. Never nothing, so that no loop runs hot.
 */
final class Backoff {
    private static final int SMALLEST_PART = 10;

    private final long baseNanos;
    private final long mostNanos;
    private final RandomGenerator random;

    Backoff(Duration base, Duration most, RandomGenerator random) {
        this.baseNanos = base.toNanos();
        this.mostNanos = most.toNanos();
        this.random = Objects.requireNonNull(random, "random");
        if (baseNanos <= 0 || mostNanos < baseNanos) {
            throw new IllegalArgumentException("Backoff: base is " + base + " and most is " + most
                    + "; base must be above zero and not above most");
        }
    }

    /**
     * The wait after some failed attempts.
     *
     * @param attempts how many failed, 1 or more
     * @return a tenth of the base at least; the base doubled for each attempt after the first, or the most, at most
     */
    Duration after(int attempts) {
        int doublings = Math.min(Math.max(attempts, 1) - 1, 62);
        long ceiling = baseNanos > (mostNanos >> doublings) ? mostNanos : baseNanos << doublings;
        long floor = Math.max(1, baseNanos / SMALLEST_PART);
        long wait;
        // Not every generator bears use by several threads.
        synchronized (random) {
            wait = random.nextLong(ceiling) + 1;
        }
        return Duration.ofNanos(Math.max(floor, wait));
    }
}

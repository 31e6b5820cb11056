package io.csi4j.node.internal.worker;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long to wait after a failed attempt: doubling, with jitter, never less than a tenth of the first wait. */
public final class RetryWait {
    private static final int SMALLEST_PART = 10;
    private static final int MOST_DOUBLINGS = 40;

    private final long first;
    private final long longest;
    private final RandomGenerator random;

    public RetryWait(Duration first, Duration longest, RandomGenerator random) {
        this.first = first.toNanos();
        this.longest = longest.toNanos();
        this.random = random;
    }

    Duration after(int failures) {
        int doublings = Math.min(Math.max(failures, 1) - 1, MOST_DOUBLINGS);
        long ceiling = first > (longest >> doublings) ? longest : first << doublings;
        long wait;
        // Not every generator bears use by several threads.
        synchronized (random) {
            wait = random.nextLong(ceiling) + 1;
        }
        return Duration.ofNanos(Math.max(wait, Math.max(1, first / SMALLEST_PART)));
    }
}

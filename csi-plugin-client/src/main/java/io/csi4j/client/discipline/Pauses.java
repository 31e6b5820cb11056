package io.csi4j.client.discipline;

import java.util.random.RandomGenerator;

/** How long to wait before the next try: exponential with full jitter. Never nothing, so that no loop runs hot. */
final class Pauses {
    private static final int SMALLEST_PART = 10;

    private final long initialNanos;
    private final long maxNanos;
    private final RandomGenerator random;

    Pauses(RetryOptions options, RandomGenerator random) {
        this.initialNanos = options.initialPause().toNanos();
        this.maxNanos = options.maxPause().toNanos();
        this.random = random;
    }

    /** The pause after {@code tries} failed tries, in nanoseconds. */
    long after(int tries) {
        int doublings = Math.min(tries - 1, 62);
        long ceiling = initialNanos > (maxNanos >> doublings) ? maxNanos : initialNanos << doublings;
        long floor = Math.max(1, initialNanos / SMALLEST_PART);
        long pause;
        // Not every generator bears use by several threads.
        synchronized (random) {
            pause = random.nextLong(ceiling) + 1;
        }
        return Math.max(floor, pause);
    }
}

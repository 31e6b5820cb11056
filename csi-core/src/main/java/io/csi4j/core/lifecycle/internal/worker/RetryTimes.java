package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.volume.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * When the next attempts at the steps of a volume are due, on the elapsed time of this leader. The time that a retry has
 * in the state is for people: another server may have written it, and the clock may have been set since. It is read
 * once, when this leader sees the retry for the first time. From then on the leader waits for at most the longest backoff
 * after that many attempts. Thread-safe.
 */
public final class RetryTimes {
    private final Operations operations;
    private Map<Key, Long> due = Map.of();
    /** The elapsed time until which no step is due, after a failure; null if there was none. */
    private @Nullable Long pausedUntil;

    public RetryTimes(Operations operations) {
        this.operations = operations;
    }

    /** Returns the elapsed time until the next attempt; zero or less if it is due. */
    public synchronized Duration left(Retry retry) {
        Instant stored = retry.nextRetry().orElse(null);
        if (stored == null) {
            return Duration.ZERO;
        }
        long now = operations.ports().nanoTime();
        if (due.isEmpty()) {
            due = new HashMap<>(2);
        }
        long at = due.computeIfAbsent(new Key(retry.attempts(), stored), key -> now + firstSeen(key));
        return Duration.ofNanos(at - now);
    }

    private long firstSeen(Key key) {
        Duration longest = operations.retryLoop().longestBackoff(key.attempts);
        Duration left = Duration.between(operations.now(), key.nextRetry);
        if (left.isNegative()) {
            return 0;
        }
        return (left.compareTo(longest) < 0 ? left : longest).toNanos();
    }

    /** Delays all steps, because a plan failed or its result could not be stored for the given number of times. */
    public synchronized void pause(Throwable cause, int failures) {
        pausedUntil = operations.ports().nanoTime()
                + operations.retryLoop().backoff(cause, failures).toNanos();
    }

    /** Delays all steps from now on. */
    public synchronized void pause(Duration delay) {
        pausedUntil = operations.ports().nanoTime() + delay.toNanos();
    }

    /** Returns the time until the end of the last delay of all steps; zero or less if it has ended. */
    public synchronized Duration pauseLeft() {
        return pausedUntil == null
                ? Duration.ZERO
                : Duration.ofNanos(pausedUntil - operations.ports().nanoTime());
    }

    /** Forgets the retries that the volume no longer has. */
    public synchronized void keepOnly(Set<Retry> retries) {
        Set<Key> kept = retries.stream()
                .flatMap(retry -> retry.nextRetry().stream().map(at -> new Key(retry.attempts(), at)))
                .collect(Collectors.toSet());
        due.keySet().retainAll(kept);
    }

    public synchronized boolean isEmpty() {
        return due.isEmpty();
    }

    /** The facts that stay the same while a step waits for its next attempt. */
    private record Key(int attempts, Instant nextRetry) {}
}

package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), new Random(1));

    @Test
    void longestDelayDoublesWithEachFailureUpToCap() {
        for (int attempts = 1; attempts < 200; attempts++) {
            Duration ceiling = Duration.ofSeconds(Math.min(60, 1L << Math.min(attempts - 1, 30)));
            for (int i = 0; i < 50; i++) {
                assertThat(backoff.after(attempts)).isBetween(Duration.ofMillis(100), ceiling);
            }
        }
        assertThat(backoff.after(Integer.MAX_VALUE)).isLessThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(backoff.after(0)).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void delaysAreUniformlyDistributedBelowLongestDelay() {
        double mean = IntStream.range(0, 10_000)
                .mapToLong(i -> backoff.after(10).toMillis())
                .average()
                .orElseThrow();
        assertThat(mean).as("mean of a uniform distribution below one minute").isBetween(29_000.0, 31_000.0);
    }

    @Test
    void invalidDelaySettingsAreRejected() {
        assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

package io.csi4j.client.registry.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MomentTest {
    private static final Duration BEAT = Duration.ofSeconds(1);

    private final SplittableRandom random = new SplittableRandom(1);

    /** Returns a moment at a random time, because elapsed time may begin at any number. */
    private Moment moment() {
        return new Moment(random.nextLong(-1L << 50, 1L << 50), random.nextDouble());
    }

    @Test
    void longWaitEndsWithinJitterAndIsAlignedToBeats() {
        for (Duration wait : new Duration[] {Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofMinutes(10)}) {
            for (int round = 0; round < 10_000; round++) {
                Moment now = moment();
                long at = now.aroundOnBeat(wait, BEAT);
                assertThat(Math.floorMod(at, BEAT.toNanos())).as("%s", now).isZero();
                assertThat(at - now.nanos()).as("%s", now).isBetween(wait.toNanos() / 10 * 9, wait.toNanos() / 10 * 11);
            }
        }
    }

    @Test
    void shortWaitEndsWithinJitterAndIsNotAlignedToBeats() {
        Duration wait = Duration.ofMillis(100);
        int onBeat = 0;
        for (int round = 0; round < 10_000; round++) {
            Moment now = moment();
            long at = now.aroundOnBeat(wait, BEAT);
            onBeat += Math.floorMod(at, BEAT.toNanos()) == 0 ? 1 : 0;
            assertThat(at - now.nanos())
                    .as("%s", now)
                    .isBetween(
                            Duration.ofMillis(90).toNanos(),
                            Duration.ofMillis(110).toNanos());
        }
        // Expects that the waits end at multiples of the beat.
        assertThat(onBeat).isBetween(100, 400);
    }

    @Test
    void simultaneousWaitsAreSpreadOverSeveralBeats() {
        Moment now = moment();
        long different = random.doubles(1_000)
                .mapToLong(chance -> new Moment(now.nanos(), chance).aroundOnBeat(Duration.ofSeconds(15), BEAT))
                .distinct()
                .count();
        assertThat(different).isBetween(3L, 4L);
    }
}

package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.UnusedLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.Retry;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetryTimesTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final Operations operations = new Operations(TestPorts.of(new UnusedLog(), time));
    private final RetryTimes times = new RetryTimes(operations);

    private Retry retry(Duration later) {
        return Retry.of(1, "it failed", time.instant().plus(later));
    }

    @Test
    void stepWaitsOnTheElapsedTimeOfTheLeader() {
        assertThat(times.left(Retry.none())).isZero();
        Retry retry = retry(Duration.ofMillis(100));
        assertThat(times.left(retry)).isEqualTo(Duration.ofMillis(100));
        time.advance(Duration.ofMillis(40));
        time.setClock(Duration.ofHours(-1));
        assertThat(times.left(retry)).as("the clock was set").isEqualTo(Duration.ofMillis(60));
        time.advance(Duration.ofMillis(60));
        assertThat(times.left(retry)).isZero();
        Retry next = Retry.of(2, "it failed", retry.nextRetry().orElseThrow());
        assertThat(times.left(next)).as("another attempt").isPositive();
    }

    @Test
    void stepWaitsNoLongerThanTheLongestBackoff() {
        Duration longest = operations.retryLoop().longestBackoff(1);
        assertThat(times.left(retry(longest.multipliedBy(10))))
                .as("the clock of another server was ahead")
                .isEqualTo(longest);
        assertThat(times.left(retry(Duration.ofDays(-1)))).isZero();
    }

    @Test
    void retriesThatTheVolumeNoLongerHasAreForgotten() {
        assertThat(times.isEmpty()).isTrue();
        Retry kept = retry(Duration.ofMillis(100));
        Retry gone = retry(Duration.ofMillis(200));
        assertThat(times.left(kept)).isPositive();
        assertThat(times.left(gone)).isPositive();
        time.advance(Duration.ofMillis(50));
        times.keepOnly(Set.of(kept, Retry.none()));
        time.setClock(Duration.ofDays(-1));
        Duration longest = operations.retryLoop().longestBackoff(1);
        assertThat(times.left(kept)).isEqualTo(Duration.ofMillis(50));
        assertThat(times.left(gone)).as("it is read for the first time").isEqualTo(longest);
        times.keepOnly(Set.of());
        assertThat(times.isEmpty()).isTrue();
    }

    @Test
    void pauseAfterAFailureDelaysAllSteps() {
        assertThat(times.pauseLeft()).isZero();
        times.pause(new CsiException("it failed"), 1);
        Duration pause = times.pauseLeft();
        assertThat(pause)
                .isPositive()
                .isLessThanOrEqualTo(operations.retryLoop().longestBackoff(1));
        time.advance(pause.minusNanos(1));
        assertThat(times.pauseLeft()).isEqualTo(Duration.ofNanos(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(times.pauseLeft()).isNegative();
    }
}

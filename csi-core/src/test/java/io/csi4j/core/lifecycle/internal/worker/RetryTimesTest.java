package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.UnusedLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
        assertThat(times.isEmpty()).isFalse();
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

    @Test
    void eachPartOfAVolumeHasItsRetry() {
        RequestedCapability use = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(use))
                .build();
        NodeId node = NodeId.of("n1");
        Claim claim = Claim.builder(AllocationId.of("a"), node, ClaimMode.WRITE, use)
                .retry(numbered(2))
                .build();
        Expansion expansion = Expansion.to(CapacityRange.atLeast(1))
                .failed(attempt(3))
                .onNode(claim, new Expansion.OnNode(1, false, 0, numbered(4)));
        Volume volume = Volume.builder(VolumeKey.of("ns", "v"), spec, 1, Instant.EPOCH)
                .retry(numbered(1))
                .claims(Claims.of(List.of(claim)))
                .attachments(Attachments.of(
                        List.of(Attachment.builder(node, use).retry(numbered(5)).build())))
                .expansion(expansion)
                .modification(Modification.of(Map.of("a", "1"), 1).failed(attempt(6)))
                .verification(Verification.asked(1).failed(attempt(7)))
                .build();
        assertThat(VolumeWorkers.retries(volume))
                .extracting(retry -> retry.lastError().orElseThrow())
                .containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6", "7");
    }

    private static Attempt attempt(int number) {
        return Attempt.failed(String.valueOf(number), Instant.EPOCH);
    }

    private static Retry numbered(int number) {
        return Retry.none().plus(attempt(number));
    }
}

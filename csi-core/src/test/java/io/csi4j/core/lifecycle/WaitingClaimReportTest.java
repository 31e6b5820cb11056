package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static io.csi4j.core.lifecycle.LifecycleRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Holder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Everybody who waits is shown with volume, holder, reason and age, and with who comes first (N6). */
class WaitingClaimReportTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL).volume(OTHER);

    private List<WaitingClaim> displayed(VolumeKey key) {
        return rig.done(rig.host.claims().status(key)).orElseThrow().waiting();
    }

    private void waits(String allocation, String node) {
        assertThat(rig.claim(allocation, node, SINGLE)).isNotDone();
    }

    private static AllocationId alloc(String id) {
        return AllocationId.of(id);
    }

    @Test
    void statusOfWaitingClaimShowsBlockingClaimAndFirstClaimInQueue() {
        rig.done(rig.claim("a", "n1", SINGLE));
        waits("b", "n2");
        rig.clock.advance(Duration.ofSeconds(5));
        waits("c", "n2");
        rig.clock.advance(Duration.ofSeconds(20));
        List<WaitingClaim> displayed = displayed(VOL);
        assertThat(displayed).extracting(WaitingClaim::allocationId).containsExactly(alloc("b"), alloc("c"));
        assertThat(displayed.get(0).behind())
                .as("no other claim is ahead of it")
                .isEmpty();
        WaitingClaim behind = displayed.get(1);
        assertThat(behind.behind()).contains(alloc("b"));
        assertThat(behind.volume()).contains(VOL);
        assertThat(behind.reason().orElseThrow().reason()).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE);
        assertThat(behind.reason().orElseThrow().holders())
                .extracting(Holder::allocationId)
                .containsExactly(alloc("a"));
        assertThat(behind.age(rig.clock.instant())).isEqualTo(Duration.ofSeconds(20));
        assertThat(behind.text())
                .contains(VOL.toString())
                .contains("behind allocation b")
                .contains("held by allocation a on node n1");
    }

    @Test
    void waitingClaimBecomesFirstWhenClaimAheadIsGranted() {
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<ClaimGrant> first = rig.claim("b", "n2", SINGLE);
        waits("c", "n1");
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(first).isCompleted();
        WaitingClaim next = displayed(VOL).get(0);
        assertThat(next.allocationId()).isEqualTo(alloc("c"));
        assertThat(next.behind()).isEmpty();
        assertThat(next.reason().orElseThrow().holders())
                .extracting(Holder::allocationId)
                .containsExactly(alloc("b"));
        assertThat(next.text()).doesNotContain("behind");
    }

    /** It would have its other volume; what it waits for is shown at both. */
    @Test
    void statusOfWaitingClaimShowsVolumeItWaitsFor() {
        rig.done(rig.claim("a", "n1", SINGLE));
        waits("b", "n2");
        rig.allocation("c", "n2");
        var unused = rig.host.claims().claim(alloc("c"), List.of(write(OTHER, SINGLE), write(VOL, SINGLE)));
        rig.clock.run();
        assertThat(displayed(OTHER)).hasSize(1).allSatisfy(waiting -> {
            assertThat(waiting.volume()).contains(VOL);
            assertThat(waiting.behind()).contains(alloc("b"));
            assertThat(waiting.text()).startsWith("volume " + VOL + ", behind allocation b: ");
        });
    }

    @Test
    void statusOfEveryWaitingClaimShowsFirstClaimInQueue() {
        rig.done(rig.claim("a", "n1", SINGLE));
        waits("b", "n2");
        rig.allocation("c", "n2");
        var unused = rig.host.claims().claim(alloc("c"), List.of(write(VOL, SINGLE), write(OTHER, SINGLE)));
        rig.clock.run();
        waits("d", "n2");
        assertThat(displayed(VOL))
                .extracting(WaitingClaim::behind)
                .containsExactly(Optional.empty(), Optional.of(alloc("b")), Optional.of(alloc("b")));
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.NeverReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Volumes that claims make with the content of a snapshot or of another volume. */
class TemplateSourcesTest extends TemplateRig {
    private VolumeContentSource logs() {
        assertThat(claim("first", "a", request(LOGS))).isCompleted();
        return VolumeContentSource.volume(volume(LOGS).orElseThrow().remoteId());
    }

    private static VolumeTemplate copyOf(VolumeContentSource source, CapacityRange range) {
        return VolumeTemplate.builder(FAST)
                .contentSource(source)
                .capacityRange(range)
                .build();
    }

    private CreateVolumeRequest lastCreation() {
        List<CreateVolumeRequest> all = creations();
        return all.get(all.size() - 1);
    }

    @Test
    void claimMakesACopyOfAVolumeThatIsAtLeastAsLargeAsItsSource() {
        VolumeContentSource source = logs();
        VolumeTemplate small = copyOf(source, CapacityRange.atLeast(5));
        assertThat(claim("x", "a", request(DATA, small))).isCompleted();
        assertThat(lastCreation().volumeContentSource()).contains(source);
        assertThat(lastCreation().capacityRange()).contains(CapacityRange.atLeast(300));
        assertThat(claim("x", "a", request(DATA, small)))
                .as("the same claim again")
                .isCompleted();
        ended("x", "a");
        assertThat(claim("y", "a", request(DATA, small)))
                .as("the same template")
                .isCompleted();
        assertThat(creations()).hasSize(2);
    }

    @Test
    void sourceAboveTheLimitIsRefusedBeforeAnyCall() {
        VolumeContentSource source = logs();
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA, copyOf(source, new CapacityRange(5, 299))));
        assertThat(rig.failed(claim, RejectedException.class))
                .hasMessageContaining("capacityRange.limitBytes is 299 bytes, and the source has 300 bytes");
        assertThat(creations()).hasSize(1);
    }

    @Test
    void otherSourceIsADifference() {
        VolumeContentSource source = logs();
        assertThat(claim("x", "a", request(DATA, copyOf(source, null)))).isCompleted();
        ended("x", "a");
        assertThat(refused(claim("y", "a", request(DATA)))).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
    }

    @Test
    void claimMakesAVolumeFromASnapshot() {
        logs();
        Snapshot snapshot = rig.done(leader.snapshots().create(SnapshotRequest.of(LOGS, "s")));
        VolumeContentSource source = VolumeContentSource.snapshot(snapshot.snapshotId());
        assertThat(claim("x", "a", request(DATA, copyOf(source, null)))).isCompleted();
        assertThat(lastCreation().volumeContentSource()).contains(source);
    }

    @Test
    void claimMakesAVolumeFromASnapshotOfTheState() {
        logs();
        SnapshotKey nightly = SnapshotKey.of("default", "nightly");
        rig.later(leader.snapshots().create(nightly, LOGS, Map.of()));
        VolumeTemplate restored =
                VolumeTemplate.builder(FAST).sourceSnapshot(nightly).build();
        VolumeTemplate small = VolumeTemplate.builder(FAST)
                .sourceSnapshot(nightly)
                .capacityRange(CapacityRange.atLeast(299))
                .build();
        assertThat(rig.failed(claim("x", "a", request(DATA, small)), RejectedException.class))
                .hasMessageContaining("capacityRange.requiredBytes is 299 bytes, and the source has 300 bytes");
        assertThat(claim("x", "a", request(DATA, restored))).isCompleted();
        assertThat(lastCreation().volumeContentSource()).isPresent();
        assertThat(lastCreation().capacityRange().orElseThrow().requiredBytes()).isEqualTo(300);
        assertThat(volume(DATA).orElseThrow().spec().sourceSnapshot()).contains(nightly);
        rig.later(leader.snapshots().delete(nightly));
        ended("x", "a");
        assertThat(claim("y", "a", request(DATA, restored)))
                .as("the volume is there, so the snapshot is not needed")
                .isCompleted();
        assertThat(rig.failed(
                        claim("z", "b", request(VolumeKey.of("default", "late"), restored)), RejectedException.class))
                .hasMessageContainingAll("sourceSnapshot", "does not exist");
        assertThat(creations()).hasSize(2);
    }

    @Test
    void pluginThatCannotCopyRefusesTheClaim() {
        VolumeContentSource source = logs();
        rig.controller.remove(ControllerCapability.CLONE_VOLUME);
        node("a", "zone-a");
        node("b", "zone-b");
        assertThat(rig.failed(claim("x", "a", request(DATA, copyOf(source, null))), RejectedException.class))
                .hasMessageContaining("CLONE_VOLUME");
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes that are created from a snapshot of the state, which the request names by its key. */
class VolumesFromSnapshotsTest {
    private static final SnapshotKey KEY = SnapshotKey.of("default", "nightly");
    private static final VolumeKey COPY = VolumeKey.of("default", "copy");

    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle engine = rig.engine();

    @BeforeEach
    void aVolume() {
        engine.startLeading();
        rig.clock.run();
        var unused = rig.done(engine.volumes()
                .create(
                        VolumeRig.VOL,
                        VolumeRig.spec()
                                .capacityRange(CapacityRange.atLeast(100))
                                .build()));
    }

    /** Makes the snapshot; the plugin reports a size, 0 for an unknown one. */
    private VolumeSnapshot snapshot(long sizeBytes) {
        rig.gateway.answer(Rpc.CREATE_SNAPSHOT, request -> cut((CreateSnapshotRequest) request, sizeBytes, true));
        return rig.later(engine.snapshots().create(KEY, VolumeRig.VOL, Map.of()));
    }

    private static CreateSnapshotResponse cut(CreateSnapshotRequest request, long sizeBytes, boolean ready) {
        return new CreateSnapshotResponse(Snapshot.builder(SnapshotId.of("s1"), request.sourceVolumeId())
                .sizeBytes(sizeBytes)
                .readyToUse(ready)
                .build());
    }

    private static VolumeSpec.Builder spec() {
        return VolumeRig.spec().sourceSnapshot(KEY);
    }

    private CompletableFuture<Volume> restore(VolumeSpec.Builder spec) {
        return engine.volumes().create(COPY, spec.build());
    }

    private String refusal(VolumeSpec.Builder spec) {
        int calls = rig.gateway.calls().size();
        String text = rig.failed(restore(spec), CsiRequestException.class).getMessage();
        assertThat(rig.gateway.calls()).as("no call before the refusal").hasSize(calls);
        assertThat(rig.log.snapshot().volume(COPY)).isEmpty();
        return text;
    }

    private List<CreateVolumeRequest> creations() {
        return rig.gateway.requests(Rpc.CREATE_VOLUME).stream()
                .map(CreateVolumeRequest.class::cast)
                .toList();
    }

    @Test
    void volumeGetsTheContentAndTheSizeOfTheSnapshot() {
        VolumeSnapshot snapshot = snapshot(0);
        assertThat(snapshot.leastBytes()).as("the size of the source volume").isEqualTo(100);
        assertThat(snapshot.content().attachmentModes()).containsExactly(AttachmentMode.MOUNT);
        Volume copy = rig.later(restore(spec()));
        assertThat(creations()).hasSize(2);
        CreateVolumeRequest sent = creations().get(1);
        assertThat(sent.volumeContentSource()).contains(VolumeContentSource.snapshot(SnapshotId.of("s1")));
        assertThat(sent.capacityRange()).contains(CapacityRange.atLeast(100));
        assertThat(copy.spec().sourceSnapshot()).contains(KEY);
        assertThat(copy.spec().contentSource()).isEqualTo(sent.volumeContentSource());
    }

    @Test
    void repeatedRequestNeedsNoSnapshotAnyMore() {
        snapshot(0);
        Volume copy = rig.later(restore(spec()));
        rig.later(engine.snapshots().delete(KEY));
        assertThat(rig.done(restore(spec()))).isEqualTo(copy);
        assertThat(rig.failed(restore(spec().sourceSnapshot(SnapshotKey.of("default", "x"))), RejectedException.class))
                .hasMessageContaining("sourceSnapshot differs");
        rig.later(engine.volumes().delete(COPY));
        assertThat(refusal(spec())).contains(KEY.toString(), "does not exist");
    }

    @Test
    void creationContinuesWithTheIdAfterItsRetries() {
        snapshot(0);
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        CompletableFuture<Volume> creation = restore(spec());
        rig.clock.run();
        rig.done(engine.snapshots().forget(KEY, "by the test"));
        assertThat(rig.later(creation).spec().sourceSnapshot()).contains(KEY);
        assertThat(creations().subList(1, 3).stream().distinct()).hasSize(1);
    }

    @Test
    void snapshotThatIsNotReadyIsRefusedWithItsPhase() {
        rig.gateway.answer(Rpc.CREATE_SNAPSHOT, request -> cut((CreateSnapshotRequest) request, 0, false));
        var creation = engine.snapshots().create(KEY, VolumeRig.VOL, Map.of());
        rig.clock.run();
        assertThat(refusal(spec())).contains("CREATING, and not READY", "repeat");
        rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT);
        rig.failedLater(creation, SnapshotFailedException.class);
        assertThat(refusal(spec())).contains("FAILED, and not READY");
        rig.gateway.hang(Rpc.DELETE_SNAPSHOT);
        var unused = engine.snapshots().delete(KEY);
        rig.clock.run();
        assertThat(rig.log.snapshot().snapshot(KEY).orElseThrow().phase()).isEqualTo(SnapshotPhase.DELETING);
        assertThat(refusal(spec())).contains("is being deleted");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 150})
    void smallerVolumeIsRefused(long reported) {
        snapshot(reported);
        long least = Math.max(100, reported);
        assertThat(refusal(spec().capacityRange(CapacityRange.atLeast(least - 1))))
                .contains("capacityRange.requiredBytes is " + (least - 1), "the source has " + least);
        assertThat(refusal(spec().capacityRange(new CapacityRange(0, least - 1))))
                .contains("capacityRange.limitBytes is " + (least - 1), "the source has " + least);
        rig.later(restore(spec().capacityRange(CapacityRange.atLeast(least))));
    }

    /** The snapshot has the size that the volume had when it was cut, and not a later one. */
    @Test
    void volumeThatGrowsAfterTheCutDoesNotChangeTheSize() {
        snapshot(0);
        rig.later(engine.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200)));
        rig.later(restore(spec().capacityRange(CapacityRange.atLeast(100))));
    }

    @Test
    void volumeThatGrowsBeforeTheFirstCallChangesTheSize() {
        rig.gateway.fail(Rpc.CREATE_SNAPSHOT, StatusCode.ABORTED);
        var creation = engine.snapshots().create(KEY, VolumeRig.VOL, Map.of());
        rig.clock.run();
        rig.later(engine.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200)));
        assertThat(rig.later(creation).leastBytes()).isEqualTo(200);
    }

    @Test
    void sameRequestWithOnlyALimitIsRepeatedDuringTheCreation() {
        snapshot(0);
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        VolumeSpec.Builder limited = spec().capacityRange(new CapacityRange(0, 120));
        var creation = restore(limited);
        rig.clock.run();
        var again = restore(limited);
        rig.clock.run();
        assertThat(creation).isNotDone();
        assertThat(again).as("it waits for the same volume").isNotDone();
        assertThat(creations().get(1).capacityRange()).contains(new CapacityRange(100, 120));
        assertThat(rig.failed(restore(spec().capacityRange(new CapacityRange(0, 130))), RejectedException.class))
                .hasMessageContaining("capacityRange");
    }

    @Test
    void otherAttachmentModeAndOtherPluginAreRefused() {
        snapshot(0);
        RequestedCapability block = RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        assertThat(refusal(spec().requestedCapabilities(List.of(block)))).contains("BLOCK", "MOUNT");
        VolumeSpec.Builder other = VolumeSpec.builder(PluginId.of("other"))
                .requestedCapabilities(spec().build().requestedCapabilities())
                .sourceSnapshot(KEY);
        assertThat(refusal(other)).contains("one of plugin " + VolumeRig.PLUGIN);
        assertThat(refusal(spec().contentSource(VolumeContentSource.snapshot(SnapshotId.of("s2")))))
                .contains("contentSource", "leave out one of the two");
    }

    /** Each end of the creation frees the snapshot. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void snapshotIsDeletedWhenTheCreationHasEnded(boolean withdrawn) {
        snapshot(0);
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.ABORTED);
        }
        CompletableFuture<Volume> copy = restore(spec());
        rig.clock.run();
        CompletableFuture<Void> deletion = engine.snapshots().delete(KEY);
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(deletion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
        VolumeSnapshot waiting = rig.log.snapshot().snapshot(KEY).orElseThrow();
        assertThat(waiting.retry().lastError().orElseThrow()).contains(COPY.toString());
        assertThat(rig.failed(
                        engine.volumes().create(VolumeKey.of("default", "late"), spec().build()),
                        CsiRequestException.class))
                .hasMessageContaining("is being deleted");
        if (withdrawn) {
            var unused = rig.done(engine.operator().withdrawCreation(COPY, "by the test"));
        } else {
            rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        }
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(copy.isCompletedExceptionally()).isEqualTo(withdrawn);
        assertThat(deletion).isCompleted();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).hasSize(1);
        Optional<Volume> row = rig.log.snapshot().volume(COPY);
        assertThat(row.isPresent()).isEqualTo(!withdrawn);
        row.ifPresent(made -> assertThat(made.spec().sourceSnapshot()).contains(KEY));
    }
}

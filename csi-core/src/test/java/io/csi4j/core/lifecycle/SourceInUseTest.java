package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A volume is being made from a source that somebody deletes. */
class SourceInUseTest {
    private static final VolumeKey COPY = VolumeKey.of("default", "copy");

    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle engine = leading();
    private final Volume source =
            rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));

    private VolumeLifecycle leading() {
        VolumeLifecycle started = rig.engine();
        started.startLeading();
        rig.clock.run();
        return started;
    }

    /** The creation of a copy that the plugin does not finish yet. */
    private CompletableFuture<Volume> copying(VolumeContentSource from) {
        for (int i = 0; i < 1000; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.ABORTED);
        }
        CompletableFuture<Volume> copy = engine.volumes()
                .create(COPY, VolumeRig.spec().contentSource(from).build());
        rig.clock.run();
        assertThat(copy).isNotDone();
        return copy;
    }

    private RemainingWork remaining(VolumeKey key) {
        return rig.done(engine.claims().status(key)).orElseThrow().remaining();
    }

    @Test
    void volumeIsDeletedOnlyAfterTheCopyIsMade() {
        CompletableFuture<Volume> copy = copying(VolumeContentSource.volume(source.remoteId()));
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        assertThat(rig.volume().phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(remaining(VolumeRig.VOL).waits())
                .extracting(RemainingWork.Wait::reason)
                .containsExactly(RemainingWork.Reason.SOURCE_IN_USE);

        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        rig.done(engine.operator().recheck(COPY));
        while (!copy.isDone()) {
            rig.clock.advance(Duration.ofSeconds(1));
        }
        rig.clock.run();
        assertThat(deletion).as("the end of the creation wakes the deletion").isCompleted();
    }

    @Test
    void callerOfTheDeletionLearnsWhichCreationIsInTheWay() {
        var unused = copying(VolumeContentSource.volume(source.remoteId()));
        UnfinishedException late = rig.failedLater(engine.volumes().delete(VolumeRig.VOL), UnfinishedException.class);
        assertThat(late).hasMessageContaining(COPY.toString()).hasMessageContaining("being created");
    }

    @Test
    void copyFromAVolumeThatIsBeingDeletedIsRefused() {
        rig.gateway.hang(Rpc.DELETE_VOLUME);
        CompletableFuture<Void> deletion = engine.volumes().delete(VolumeRig.VOL);
        rig.clock.run();
        assertThat(deletion).isNotDone();
        assertThat(rig.failed(
                        engine.volumes()
                                .create(
                                        COPY,
                                        VolumeRig.spec()
                                                .contentSource(VolumeContentSource.volume(source.remoteId()))
                                                .build()),
                        RejectedException.class))
                .hasMessageContaining(VolumeRig.VOL.toString())
                .hasMessageContaining("being deleted");
    }

    @Test
    void snapshotIsDeletedOnlyAfterTheVolumeFromItIsMade() {
        Snapshot snapshot = rig.done(engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "s")));
        CompletableFuture<Volume> copy = copying(VolumeContentSource.snapshot(snapshot.snapshotId()));
        CompletableFuture<Void> deletion = engine.snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId());
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(deletion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
        rig.gateway.forgetPlanned(Rpc.CREATE_VOLUME);
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(copy).isCompleted();
        assertThat(deletion).isCompleted();
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).hasSize(1);
    }

    @Test
    void callerOfTheSnapshotDeletionLearnsWhichCreationIsInTheWay() {
        Snapshot snapshot = rig.done(engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "s")));
        var unused = copying(VolumeContentSource.snapshot(snapshot.snapshotId()));
        UnfinishedException late = rig.failedLater(
                engine.snapshots().delete(VolumeRig.PLUGIN, snapshot.snapshotId()), UnfinishedException.class);
        assertThat(late).hasMessageContaining(snapshot.snapshotId().toString()).hasMessageContaining(COPY.toString());
    }

    @Test
    void groupSnapshotIsNotDeletedWhileAVolumeIsMadeFromAMember() {
        var group = rig.done(
                engine.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(VolumeRig.VOL), Map.of())));
        var member = group.snapshots().get(0).snapshotId();
        var unused = copying(VolumeContentSource.snapshot(member));
        CompletableFuture<Void> deletion =
                engine.snapshots().deleteGroup(VolumeRig.PLUGIN, group.groupSnapshotId(), List.of(member));
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(deletion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT)).isEmpty();
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.volume.AttachmentState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the provider has attached and nobody wants is undone by an intent on record, like any release. */
class OrphanedAttachmentTest {
    private static void listed(LifecycleRig rig) {
        ExternalVolumeStatus where = new ExternalVolumeStatus(
                List.of(ExternalNodeId.of("ext-n1"), ExternalNodeId.of("ext-n2")), Optional.empty());
        ExternalVolume volume = ExternalVolume.builder(ExternalVolumeId.of("ext-" + LifecycleRig.VOL))
                .build();
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(
                        List.of(new ListVolumesResponse.Entry(volume, Optional.of(where))), ""));
    }

    private static void publishedOnTheFirst(LifecycleRig rig) {
        assertThat(rig.claim("a1", "n1", LifecycleRig.SHARED)).isDone();
        rig.gateway.calls().clear();
        listed(rig);
    }

    private static void begun(LifecycleRig rig) {
        assertThat(rig.done(rig.host.operator().reconcile(LifecycleRig.PLUGIN, true)))
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.BEGUN));
    }

    private static List<Object> undone(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
    }

    @Test
    void workerUnpublishesOrphanedAttachment() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        publishedOnTheFirst(rig);
        begun(rig);
        assertThat(rig.gateway
                        .request(Rpc.CONTROLLER_UNPUBLISH_VOLUME, ControllerUnpublishVolumeRequest.class)
                        .nodeId())
                .contains(ExternalNodeId.of("ext-n2"));
        assertThat(rig.get(LifecycleRig.VOL).attachments())
                .extracting(attachment -> attachment.nodeId() + " " + attachment.state())
                .containsExactly("n1 PUBLISHED");
    }

    @Test
    void claimDuringOrphanRepairIsPublishedAfterUnpublish() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        publishedOnTheFirst(rig);
        rig.gateway.hang(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        begun(rig);
        CompletableFuture<ClaimGrant> newer = rig.claim("a2", "n2", LifecycleRig.SHARED);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(newer).as("the call in flight may still detach the volume").isNotDone();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(newer).isCompleted();
        assertThat(rig.calls())
                .as("the claim waits until an unpublish call is answered")
                .containsExactly(
                        "LIST_VOLUMES",
                        "CONTROLLER_UNPUBLISH_VOLUME",
                        "CONTROLLER_UNPUBLISH_VOLUME",
                        "CONTROLLER_PUBLISH_VOLUME");
    }

    @Test
    void leaderFinishesRepairThatFollowerBegan() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        publishedOnTheFirst(rig);
        rig.host.stopLeading();
        begun(rig);
        assertThat(undone(rig)).isEmpty();
        rig.host.startLeading();
        rig.clock.run();
        assertThat(undone(rig)).hasSize(1);
    }

    @Test
    void nextLeaderRetriesUnpublishOfFormerLeader() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        publishedOnTheFirst(rig);
        rig.gateway.hang(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        begun(rig);
        rig.host.stopLeading();
        assertThat(rig.get(LifecycleRig.VOL).attachments().on(NodeId.of("n2")))
                .hasValueSatisfying(orphan -> assertThat(orphan.state()).isEqualTo(AttachmentState.UNPUBLISHING));
        rig.host.startLeading();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(undone(rig)).hasSize(2);
        assertThat(rig.get(LifecycleRig.VOL).attachments().on(NodeId.of("n2"))).isEmpty();
    }
}

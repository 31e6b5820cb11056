package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReconciliationTest {
    private final VolumeRig rig = VolumeRig.started();
    private final List<DriftEvent> events = new ArrayList<>();

    @BeforeEach
    void aVolumeThatIsPublishedOnOneNode() {
        rig.listener = new EventListener() {
            @Override
            public void driftFound(DriftEvent event) {
                events.add(event);
            }
        };
        rig.made();
        rig.claim("a1", "n1");
        rig.published("n1");
        rig.gateway.calls().clear();
    }

    private static ListVolumesResponse page(String token, String id, String... nodes) {
        return new ListVolumesResponse(List.of(entry(id, nodes)), token);
    }

    private static ListVolumesResponse.Entry entry(String id, String... nodes) {
        return new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of(id)).build(),
                Optional.of(new ExternalVolumeStatus(
                        Arrays.stream(nodes).map(ExternalNodeId::of).toList(), Optional.empty())));
    }

    private void listed(String... nodes) {
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> page("", "ext-1", nodes));
    }

    private List<Drift> run(boolean repair) {
        return rig.done(rig.follower().operator().reconcile(VolumeRig.PLUGIN, repair));
    }

    private List<Drift> repairAsLeader() {
        return rig.done(rig.engine().operator().reconcile(VolumeRig.PLUGIN, true));
    }

    @Test
    void attachmentsThatMatchProviderAreNotReported() {
        listed("ext-n1");
        assertThat(run(true)).isEmpty();
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.LIST_VOLUMES);
    }

    @Test
    void missingAndUnwantedAttachmentsAreOnlyReportedByDefault() {
        listed("ext-n2");
        assertThat(run(false))
                .extracting(drift -> drift.kind() + " " + drift.externalNodeId())
                .containsExactly("WANTED_BUT_NOT_ATTACHED ext-n1", "ATTACHED_BUT_NOT_WANTED ext-n2");
        assertThat(events).hasSize(2);
        assertThat(events.get(0).volume()).contains(VolumeRig.VOL);
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.LIST_VOLUMES);
    }

    @Test
    void volumeThatIsRemovedBeforeItsRepairIsLeftAlone() {
        VolumeKey other = VolumeKey.of("default", "other");
        rig.done(rig.engine().volumes().create(other, VolumeRig.spec().build()));
        String otherId = rig.get(other).remoteId().value();
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(List.of(entry("ext-1"), entry(otherId, "ext-n2")), ""));
        rig.gateway.plan(Rpc.CONTROLLER_PUBLISH_VOLUME, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(other, true, rig.now()));
            return rig.provider.answer(call);
        });
        assertThat(repairAsLeader())
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.DONE), Optional.of(Drift.Repair.OVERTAKEN));
    }

    @Test
    void missingAndUnwantedAttachmentsAreRepairedOnRequest() {
        listed("ext-n2");
        assertThat(repairAsLeader())
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.DONE), Optional.of(Drift.Repair.BEGUN));
        assertThat(rig.gateway
                        .request(Rpc.CONTROLLER_PUBLISH_VOLUME, ControllerPublishVolumeRequest.class)
                        .nodeId())
                .isEqualTo(ExternalNodeId.of("ext-n1"));
    }

    @Test
    void volumeWhoseDeletionFailsBecauseItIsAttachedIsDetachedAndDeleted() {
        rig.allocation("a1", "n1", AllocationStatus.ENDED);
        rig.ok(new ClaimCommand.CheckpointClaim(
                VolumeRig.VOL, AllocationId.of("a1"), ClaimState.NODE_DETACHED, rig.now()));
        rig.ok(new AttachmentCommand.RecordUnpublishing(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        rig.ok(new AttachmentCommand.RemoveAttachment(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        rig.ok(new ClaimCommand.CheckpointClaim(
                VolumeRig.VOL, AllocationId.of("a1"), ClaimState.READY_TO_FREE, rig.now()));
        rig.ok(new ClaimCommand.FreeClaim(VolumeRig.VOL, AllocationId.of("a1"), rig.now()));
        // At the first and the second instance.
        rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.INTERNAL).fail(Rpc.DELETE_VOLUME, StatusCode.INTERNAL);
        rig.ok(new VolumeCommand.SetVolumePhase(VolumeRig.VOL, VolumePhase.DELETING, rig.now()));
        VolumeLifecycle engine = rig.engine();
        rig.clock.run();
        listed("ext-n2");
        assertThat(rig.done(engine.operator().reconcile(VolumeRig.PLUGIN, true)))
                .extracting(Drift::kind, Drift::repair)
                .containsExactly(tuple(DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED, Optional.of(Drift.Repair.BEGUN)));
        rig.clock.run();
        assertThat(rig.gateway.rpcs())
                .as("the deletion does not wait for its next retry")
                .containsSubsequence(Rpc.DELETE_VOLUME, Rpc.CONTROLLER_UNPUBLISH_VOLUME, Rpc.DELETE_VOLUME);
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void followerLeavesCallsOfRepairToLeader() {
        listed("ext-n2");
        assertThat(run(true))
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.FAILED), Optional.of(Drift.Repair.BEGUN));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME))
                .as("the state of a follower may be older than the last detachment")
                .isEmpty();
        assertThat(rig.volume().attachments().on(NodeId.of("n2")).orElseThrow())
                .as("the intent is stored for the leader, which makes the call")
                .returns(AttachmentState.UNPUBLISHING, Attachment::state)
                .returns(Optional.of(ExternalNodeId.of("ext-n2")), Attachment::externalNodeId);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).isEmpty();
    }

    @Test
    void attachmentOnNodeOfOtherClusterIsIgnored() {
        listed("ext-n1", "somebody-elses");
        assertThat(run(true)).isEmpty();
    }

    @Test
    void volumeThatProviderDoesNotListIsIgnored() {
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> page("", "another", "ext-n2"));
        assertThat(run(true)).isEmpty();
    }

    @Test
    void volumeChangedDuringReconciliationIsSkipped() {
        rig.gateway.plan(Rpc.LIST_VOLUMES, call -> {
            rig.ok(new VolumeCommand.MarkForGc(VolumeRig.VOL, rig.now()));
            return CompletableFuture.completedFuture(page("", "ext-1", "ext-n2"));
        });
        assertThat(run(true)).isEmpty();
    }

    @Test
    void attachmentWithCallInFlightIsSkipped() {
        rig.claim("a2", "n2");
        listed();
        assertThat(run(false))
                .as("a publish in progress on n2 does not hide the drift on n1")
                .extracting(Drift::externalNodeId)
                .containsExactly(ExternalNodeId.of("ext-n1"));
    }

    @Test
    void remainingWorkOnOtherNodeDoesNotPreventRepair() {
        rig.claim("a2", "n2");
        rig.published("n2");
        rig.allocation("a2", "n2", AllocationStatus.ENDED);
        assertThat(rig.volume().unsettled()).as("work on n2 remains").isTrue();
        listed("ext-n2");
        assertThat(repairAsLeader()).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.DONE));
        assertThat(rig.gateway
                        .request(Rpc.CONTROLLER_PUBLISH_VOLUME, ControllerPublishVolumeRequest.class)
                        .nodeId())
                .isEqualTo(ExternalNodeId.of("ext-n1"));
    }

    @Test
    void attachmentReleasedByAnotherServerIsNotRepaired() {
        listed();
        CompletableFuture<Secrets> secrets = new CompletableFuture<>();
        rig.secrets = query -> secrets.thenApply(Optional::of);
        CompletableFuture<List<Drift>> repair = rig.follower().operator().reconcile(VolumeRig.PLUGIN, true);
        rig.clock.run();
        rig.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "no power", rig.now()));
        rig.ok(new AttachmentCommand.RecordUnpublishing(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        rig.ok(new AttachmentCommand.RemoveAttachment(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        secrets.complete(VolumeRig.SECRETS);
        assertThat(rig.done(repair)).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.OVERTAKEN));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME))
                .as("no publish without a record that leads to its detach")
                .isEmpty();
    }

    @Test
    void repairOfAttachmentThatIsReleasedDuringCallCountsAsOvertaken() {
        listed();
        rig.gateway.answer(Rpc.CONTROLLER_PUBLISH_VOLUME, request -> {
            rig.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "no power", rig.now()));
            rig.ok(new AttachmentCommand.RecordUnpublishing(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
            return new ControllerPublishVolumeResponse(PublishContext.empty());
        });
        assertThat(repairAsLeader()).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.OVERTAKEN));
    }

    @Test
    void attachmentReplacedBeforeRepairIsNotRepaired() {
        listed();
        VolumeLifecycle engine = rig.follower();
        rig.gateway.hang(Rpc.CREATE_SNAPSHOT);
        CompletableFuture<?> before = engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "s"));
        CompletableFuture<List<Drift>> repair = engine.operator().reconcile(VolumeRig.PLUGIN, true);
        rig.clock.run();
        rig.allocation("a1", "n1", AllocationStatus.ENDED);
        rig.ok(new ClaimCommand.CheckpointClaim(
                VolumeRig.VOL, AllocationId.of("a1"), ClaimState.NODE_DETACHED, rig.now()));
        rig.ok(new AttachmentCommand.RecordUnpublishing(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        rig.ok(new AttachmentCommand.RemoveAttachment(VolumeRig.VOL, NodeId.of("n1"), rig.now()));
        rig.claim("a2", "n1");
        rig.published("n1");
        assertThat(rig.later(repair)).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.OVERTAKEN));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).isEmpty();
        assertThat(before).isDone();
    }

    @Test
    void repairRefusedByFullNodeQueriesVolumeLimit() {
        VolumeLifecycle engine = rig.follower();
        engine.startLeading();
        rig.clock.run();
        listed();
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(rig.done(engine.operator().reconcile(VolumeRig.PLUGIN, true)))
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.FAILED));
        assertThat(rig.gateway.requests(Rpc.NODE_GET_INFO)).hasSize(1);
    }

    @Test
    void attachmentClaimedBeforeItsRepairIsKept() {
        listed("ext-n1", "ext-n2");
        VolumeLifecycle engine = rig.follower();
        rig.gateway.hang(Rpc.CREATE_SNAPSHOT);
        CompletableFuture<?> before = engine.snapshots().create(SnapshotRequest.of(VolumeRig.VOL, "s"));
        CompletableFuture<List<Drift>> repair = engine.operator().reconcile(VolumeRig.PLUGIN, true);
        rig.clock.run();
        rig.claim("a2", "n2");
        assertThat(rig.later(repair)).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.OVERTAKEN));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).isEmpty();
        assertThat(before).isDone();
    }

    @Test
    void nextReconciliationRepairsAttachmentAfterCommandOfEarlierRepairWasLost() {
        listed("ext-n1", "ext-n2");
        VolumeLifecycle engine = rig.follower();
        rig.log.lose(1, false);
        assertThat(rig.done(engine.operator().reconcile(VolumeRig.PLUGIN, true)))
                .extracting(Drift::repair)
                .containsExactly(Optional.of(Drift.Repair.FAILED));
        listed("ext-n1", "ext-n2");
        assertThat(run(true)).extracting(Drift::repair).containsExactly(Optional.of(Drift.Repair.BEGUN));
        listed("ext-n1", "ext-n2");
        assertThat(run(true)).as("a repair in progress is not drift").isEmpty();
    }

    @Test
    void allPagesAreReadAndExpiredTokenRestartsListing() {
        rig.gateway
                .answer(Rpc.LIST_VOLUMES, request -> page("2", "another"))
                .fail(Rpc.LIST_VOLUMES, StatusCode.ABORTED)
                .answer(Rpc.LIST_VOLUMES, request -> page("2", "another"))
                .answer(Rpc.LIST_VOLUMES, request -> page("", "ext-1", "ext-n1", "ext-n2"));
        assertThat(run(false)).hasSize(1);
        assertThat(rig.gateway.requests(Rpc.LIST_VOLUMES)).hasSize(4);
    }

    @Test
    void pageLongerThanRequestedIsReadCompletely() {
        List<ListVolumesResponse.Entry> entries = new ArrayList<>();
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> {
            int asked = ((ListVolumesRequest) request).maxEntries();
            assertThat(asked).isPositive();
            while (entries.size() < asked) {
                entries.add(entry("another-" + entries.size()));
            }
            entries.add(entry("ext-1", "ext-n1", "ext-n2"));
            return new ListVolumesResponse(entries, "");
        });
        assertThat(run(false)).hasSize(1);
        assertThat(rig.gateway.requests(Rpc.LIST_VOLUMES)).hasSize(1);
    }

    @Test
    void pluginThatCannotListPublishedNodesIsNotQueried() {
        rig.controller.remove(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        rig.failed(rig.follower().operator().reconcile(VolumeRig.PLUGIN, false), CsiRequestException.class);
        assertThat(rig.gateway.calls()).isEmpty();
    }
}

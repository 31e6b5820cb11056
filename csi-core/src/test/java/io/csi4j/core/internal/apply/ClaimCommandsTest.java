package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_READER_ONLY;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.ZONE;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.free;
import static io.csi4j.core.internal.apply.Cluster.key;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.register;
import static io.csi4j.core.internal.apply.Cluster.request;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.unpublishing;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.READ;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.AdmissionDecision.Never;
import io.csi4j.core.command.AdmissionDecision.Wait;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimCommandsTest {
    private static void waits(AdmissionDecision decision, WaitReason reason, String... holders) {
        assertThat(decision).isInstanceOf(Wait.class);
        Wait wait = (Wait) decision;
        assertThat(wait.reason()).as(wait.detail()).isEqualTo(reason);
        assertThat(wait.holders().stream().map(Holder::allocationId))
                .containsExactlyElementsOf(
                        Stream.of(holders).map(Cluster::alloc).toList());
    }

    private static void never(AdmissionDecision decision, NeverReason reason) {
        assertThat(decision).isInstanceOf(Never.class);
        assertThat(((Never) decision).reason()).as(((Never) decision).detail()).isEqualTo(reason);
    }

    @Test
    void firstClaimDeterminesCapabilityInUseUntilLastClaimIsFreed() {
        Cluster cluster = Cluster.withoutController().nodes("n1", "n2");
        cluster.ok(register(
                "v",
                spec().requestedCapabilities(List.of(
                                RequestedCapability.mount(MULTI_NODE_READER_ONLY),
                                RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER),
                                RequestedCapability.block(MULTI_NODE_SINGLE_WRITER)))
                        .build()));
        cluster.claim("r1", "n1", "v", READ, MULTI_NODE_READER_ONLY);
        assertThat(cluster.get("v").currentCapability()).contains(RequestedCapability.mount(MULTI_NODE_READER_ONLY));
        cluster.claim("r2", "n2", "v", READ, MULTI_NODE_READER_ONLY);

        // The writer must wait for the readers, because only one capability can be in use at a time.
        waits(
                cluster.decision("w", "n1", request("v", WRITE, MULTI_NODE_SINGLE_WRITER)),
                WaitReason.OTHER_CAPABILITY_IN_USE,
                "r1",
                "r2");
        never(
                cluster.decision("w", "n1", request("v", WRITE, MULTI_NODE_READER_ONLY)),
                NeverReason.WRITE_IN_READER_MODE);

        cluster.release("v", "r1");
        cluster.release("v", "r2");
        assertThat(cluster.get("v").currentCapability()).isEmpty();
        assertThat(cluster.get("v").spec().requestedCapabilities()).hasSize(3);

        cluster.ok(take("w", request("v", WRITE, MULTI_NODE_SINGLE_WRITER)));
        cluster.ok(take("w", request("v", WRITE, MULTI_NODE_SINGLE_WRITER)));
        assertThat(cluster.get("v").claims().size()).isEqualTo(1);
        cluster.ok(take("r1", request("v", READ, MULTI_NODE_SINGLE_WRITER)));
        assertThat(cluster.get("v").currentCapability()).contains(RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER));
        waits(
                cluster.decision("w2", "n2", request("v", WRITE, MULTI_NODE_SINGLE_WRITER)),
                WaitReason.CLAIMED_ON_OTHER_NODE,
                "w");
        waits(
                cluster.decision(
                        "w2",
                        "n2",
                        ClaimRequest.of(vol("v"), WRITE, RequestedCapability.block(MULTI_NODE_SINGLE_WRITER))),
                WaitReason.OTHER_CAPABILITY_IN_USE,
                "r1",
                "w");
    }

    @Test
    void blockClaimOnMountOnlyVolumeIsNeverAdmitted() {
        Cluster cluster = Cluster.withoutController().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        never(
                cluster.decision(
                        "a", "n1", ClaimRequest.of(vol("v"), WRITE, RequestedCapability.block(SINGLE_NODE_WRITER))),
                NeverReason.CAPABILITY_NOT_REQUESTED);
    }

    @Test
    void nextWriterWaitsUntilClaimOfReleasingWriterIsFreed() {
        Cluster cluster = Cluster.withoutController().nodes("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        cluster.claim("w", "n1", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
        cluster.claim("r", "n2", "v", READ, MULTI_NODE_SINGLE_WRITER);
        ClaimRequest second = request("v", WRITE, MULTI_NODE_SINGLE_WRITER);
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.ok(checkpoint("v", "w", state));
            assertThat(cluster.get("v").claims().writers()).isEqualTo(1);
            waits(cluster.decision("w2", "n2", second), WaitReason.CLAIMED_ON_OTHER_NODE, "w");
        }
        Effect.ClaimFreed freed =
                effects(cluster.ok(free("v", "w")), Effect.ClaimFreed.class).get(0);
        assertThat(freed.allocationId()).isEqualTo(alloc("w"));
        assertThat(cluster.claimOf("v", "r")).map(Claim::state).contains(ClaimState.TAKEN);
        cluster.ok(take("w2", second));
    }

    @Test
    void writerOnSingleNodeVolumeWaitsForReaderOnOtherNode() {
        Cluster cluster = Cluster.withoutController().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("r", "n1", "v", READ, SINGLE_NODE_WRITER);
        waits(
                cluster.decision("w", "n2", request("v", WRITE, SINGLE_NODE_WRITER)),
                WaitReason.CLAIMED_ON_OTHER_NODE,
                "r");
        waits(
                cluster.decision("w2", "n1", request("v", WRITE, SINGLE_NODE_WRITER)),
                WaitReason.WRITER_OR_CLAIM_TAKEN,
                "r");
    }

    @Test
    void repeatedClaimSucceedsEvenIfNodeIsDown() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("w", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "", AT));
        cluster.fingerprint("n1");

        Claim first = cluster.claimOf("v", "w").orElseThrow();
        var outcome = cluster.ok(take("w", request("v", WRITE, SINGLE_NODE_WRITER)));
        Effect.ClaimTaken held = effects(outcome, Effect.ClaimTaken.class).get(0);
        assertThat(held.alreadyHeld()).isTrue();
        assertThat(held.claim().createIndex()).isEqualTo(first.createIndex());
        assertThat(held.claim().takenIndex()).isGreaterThan(first.takenIndex());
        assertThat(held.claim()).isEqualTo(cluster.claimOf("v", "w").orElseThrow());
        assertThat(held.claim().toBuilder().takenIndex(0).build()).isEqualTo(first);
        assertThat(held.attachment()).map(Attachment::state).contains(AttachmentState.PUBLISHING);

        never(
                cluster.refused(Rejection.NotAdmitted.class, take("w", request("v", READ, SINGLE_NODE_WRITER)))
                        .decision(),
                NeverReason.CLAIMED_DIFFERENTLY);
        cluster.ok(checkpoint("v", "w", ClaimState.UNPUBLISHING));
        waits(
                cluster.refused(Rejection.NotAdmitted.class, take("w", request("v", WRITE, SINGLE_NODE_WRITER)))
                        .decision(),
                WaitReason.OWN_CLAIM_RELEASING,
                "w");
    }

    @Test
    void firstClaimOnNodeStoresAttachmentIntentWithExternalNodeId() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2");
        cluster.ok(register(
                "v",
                spec(MULTI_NODE_SINGLE_WRITER)
                        .mountOptions(MountOptions.of("ext4", "noatime"))
                        .build()));
        cluster.allocation("r", "n1");
        cluster.ok(new ClaimCommand.TakeClaims(
                alloc("r"),
                List.of(new ClaimRequest(
                        vol("v"), READ, RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER), MountOptions.of("xfs"))),
                AT));
        Claim claim = cluster.claimOf("v", "r").orElseThrow();
        assertThat(claim.externalNodeId()).contains(ExternalNodeId.of("ext-n1"));
        Attachment attachment = cluster.attachment("v", "n1").orElseThrow();
        assertThat(attachment.state()).isEqualTo(AttachmentState.PUBLISHING);
        assertThat(attachment.externalNodeId()).contains(ExternalNodeId.of("ext-n1"));
        assertThat(attachment.readonly()).as("one node writes, the others read").isTrue();
        assertThat(attachment.mountOptions()).isEqualTo(MountOptions.of("xfs", "noatime"));
        assertThat(attachment.createIndex()).isEqualTo(claim.createIndex());

        cluster.ok(published("v", "n1"));
        cluster.allocation("r2", "n1");
        cluster.ok(new ClaimCommand.TakeClaims(
                alloc("r2"),
                List.of(new ClaimRequest(
                        vol("v"), READ, RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER), MountOptions.of("xfs"))),
                AT));
        assertThat(cluster.attachment("v", "n1")).map(Attachment::state).contains(AttachmentState.PUBLISHED);
        waits(
                cluster.decision(
                        "w",
                        "n1",
                        new ClaimRequest(
                                vol("v"),
                                WRITE,
                                RequestedCapability.mount(MULTI_NODE_SINGLE_WRITER),
                                MountOptions.of("xfs"))),
                WaitReason.ATTACHED_READONLY,
                "r",
                "r2");
        cluster.claim("w2", "n2", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
        assertThat(cluster.attachment("v", "n2")).map(Attachment::readonly).contains(false);
    }

    @Test
    void claimWaitsWhileNodeHasVolumeAttachedWithOtherCapability() {
        Cluster cluster =
                Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER, MULTI_NODE_MULTI_WRITER);
        cluster.claim("w", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        // The node still had a use with another capability, for example after an operator's override of its claim.
        cluster.ok(new ClaimCommand.AdoptUses(
                vol("v"),
                NodeId.of("n1"),
                List.of(new VolumeUse(
                        vol("v"),
                        Cluster.PLUGIN,
                        ExternalVolumeId.of("v"),
                        alloc("old"),
                        WRITE,
                        RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                        false)),
                AT));
        cluster.ok(checkpoint("v", "w", ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint("v", "w", ClaimState.NODE_DETACHED));
        cluster.ok(checkpoint("v", "w", ClaimState.READY_TO_FREE));
        cluster.ok(free("v", "w"));
        waits(
                cluster.decision("next", "n1", request("v", WRITE, MULTI_NODE_MULTI_WRITER)),
                WaitReason.OTHER_CAPABILITY_IN_USE,
                "old");
        cluster.claim("elsewhere", "n2", "v", WRITE, MULTI_NODE_MULTI_WRITER);
    }

    @Test
    void readerOnMultiWriterVolumeGetsWritableAttachment() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        cluster.claim("r", "n1", "v", READ, MULTI_NODE_MULTI_WRITER);
        assertThat(cluster.attachment("v", "n1")).map(Attachment::readonly).contains(false);
        cluster.claim("w", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
    }

    @Test
    void claimWaitsWhileVolumeIsBeingDetached() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("w", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        // An override frees the claim, so the attachment is left without a claim.
        cluster.ok(new ClaimCommand.OverrideClaim(vol("v"), alloc("w"), "me", "because", AT));
        cluster.ok(free("v", "w"));
        assertThat(cluster.attachment("v", "n1")).map(Attachment::state).contains(AttachmentState.UNPUBLISHING);
        assertThat(cluster.get("v").unsettled()).isTrue();
        ClaimRequest again = request("v", WRITE, SINGLE_NODE_WRITER);
        waits(cluster.decision("w2", "n1", again), WaitReason.BEING_DETACHED);
        waits(cluster.decision("w3", "n2", again), WaitReason.BEING_DETACHED);
        cluster.ok(Cluster.detached("v", "n1"));
        cluster.ok(take("w3", again));
    }

    @Test
    void claimOnTwoVolumesIsGrantedForBothVolumesOrForNeither() {
        Cluster cluster = Cluster.attaching()
                .nodes("n1")
                .volume("v1", SINGLE_NODE_WRITER)
                .volume("v2", SINGLE_NODE_SINGLE_WRITER);
        cluster.claim("other", "n1", "v2", WRITE, SINGLE_NODE_SINGLE_WRITER);
        cluster.allocation("a", "n1");
        ClaimCommand.TakeClaims both =
                take("a", request("v1", WRITE, SINGLE_NODE_WRITER), request("v2", WRITE, SINGLE_NODE_SINGLE_WRITER));
        Rejection.NotAdmitted refused = cluster.refused(Rejection.NotAdmitted.class, both);
        assertThat(refused.key()).isEqualTo(vol("v2"));
        assertThat(refused.message()).contains("allocation a", "default/v2", "allocation other on node n1");
        cluster.ok(Cluster.status("other", "n1", AllocationStatus.ENDED));
        cluster.release("v2", "other");
        assertThat(effects(cluster.ok(both), Effect.ClaimTaken.class)).hasSize(2);
    }

    @Test
    void claimByUnknownOrEndedAllocationIsRejected() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        cluster.refused(Rejection.AllocationNotFound.class, take("a", request));
        cluster.allocation("a", "n1").ended("a", "n1");
        cluster.refused(Rejection.AllocationEnded.class, take("a", request));
        cluster.allocation("b", "n1");
        cluster.refused(Rejection.VolumeNotFound.class, take("b", request("w", WRITE, SINGLE_NODE_WRITER)));
        cluster.ok(Cluster.status("b", "n1", AllocationStatus.STOPPING));
        cluster.ok(take("b", request));
    }

    @Test
    void claimWaitsForUnreadyNodeAndIsNeverAdmittedOnFencedNode() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        waits(cluster.decision("a", "unknown", request), WaitReason.NODE_NOT_READY);
        for (NodeStatus status : List.of(NodeStatus.DISCONNECTED, NodeStatus.DOWN)) {
            cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), status, "", AT));
            waits(cluster.decision("b", "n1", request), WaitReason.NODE_NOT_READY);
        }
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "", AT));
        never(
                Placement.decide(cluster.state, cluster.get("v"), request, Namespace.of("default"), NodeId.of("n1")),
                NeverReason.NODE_LOST);
    }

    @Test
    void claimWaitsForHealthyNodePluginAndController() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        // The plugin instance on the node is unhealthy.
        cluster.fingerprint("n1", cluster.instance("n1").health(false, "down").build());
        waits(cluster.decision("a", "n1", request), WaitReason.NO_HEALTHY_NODE_PLUGIN);
        // The node services are healthy, but no READY node has a healthy controller.
        cluster.fingerprint("n1", cluster.instance(key("n1", PluginType.NODE)).build());
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DOWN, "", AT));
        waits(cluster.decision("a", "n1", request), WaitReason.NO_HEALTHY_CONTROLLER);
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.READY, "", AT));
        cluster.ok(take("a", request));
    }

    @Test
    void claimWaitsUntilPluginHasReportedItsCapabilities() {
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        Cluster cluster = Cluster.attaching().volume("v", SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n1"), AT));
        cluster.fingerprint(
                "n1",
                cluster.instance("n1").capabilities(Capabilities.unknown()).build());
        waits(cluster.decision("a", "n1", request), WaitReason.PLUGIN_NOT_KNOWN);
        cluster = Cluster.attaching().volume("v", SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n1"), AT));
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE))
                        .nodeInfo(null)
                        .build());
        waits(cluster.decision("a", "n1", request), WaitReason.PLUGIN_NOT_KNOWN);
        // A report of another instance completes the plugin's facts, but not the facts about this node.
        cluster.nodes("n2");
        waits(cluster.decision("a", "n1", request), WaitReason.PLUGIN_NOT_KNOWN);
        cluster.fingerprint(
                "n1",
                cluster.instance("n1").capabilities(Capabilities.unknown()).build());
        cluster.ok(take("a", request));
        // A fingerprint with fewer facts does not erase known facts.
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(null)
                        .capabilities(Capabilities.unknown())
                        .build());
        cluster.release("v", "a");
        cluster.ok(take("a", request));
    }

    @Test
    void claimThatNeedsMissingPluginCapabilityIsNeverAdmitted() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_SINGLE_WRITER);
        cluster.release("v", "a");
        Cluster plain = Cluster.withoutController().volume("v", SINGLE_NODE_SINGLE_WRITER, SINGLE_NODE_WRITER);
        plain.ok(new NodeCommand.UpsertNode(NodeId.of("n1"), AT));
        plain.fingerprint(
                "n1",
                plain.instance("n1")
                        .capabilities(Capabilities.unknown().withServices())
                        .build());
        waits(plain.decision("a", "n1", request("v", WRITE, SINGLE_NODE_SINGLE_WRITER)), WaitReason.PLUGIN_NOT_KNOWN);
        plain.fingerprint(
                "n1",
                plain.instance("n1").capabilities(known -> known.withNode()).build());
        never(plain.decision("a", "n1", request("v", WRITE, SINGLE_NODE_SINGLE_WRITER)), NeverReason.PLUGIN_CANNOT);
        plain.ok(take("a", request("v", WRITE, SINGLE_NODE_WRITER)));
    }

    @Test
    void blockClaimWithMountOptionsIsNeverAdmitted() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        RequestedCapability block = RequestedCapability.block(SINGLE_NODE_WRITER);
        cluster.ok(register("v", spec().requestedCapabilities(List.of(block)).build()));
        never(
                cluster.decision("a", "n1", new ClaimRequest(vol("v"), WRITE, block, MountOptions.of("ext4"))),
                NeverReason.MOUNT_OPTIONS_ON_BLOCK);
        cluster.ok(take("a", ClaimRequest.of(vol("v"), WRITE, block)));
    }

    @Test
    void claimOnNodeOutsideVolumeTopologyIsNeverAdmitted() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2", "n3");
        cluster.ok(register(
                "v",
                spec(SINGLE_NODE_WRITER)
                        .accessibilityRequirements(TopologyRequirement.requisite(ZONE))
                        .build()));
        NodeInfo elsewhere = new NodeInfo(ExternalNodeId.of("e"), 0, Optional.of(Topology.of("zone", "z2")));
        NodeInfo nowhere = new NodeInfo(ExternalNodeId.of("e"), 0, Optional.empty());
        cluster.fingerprint("n2", cluster.instance("n2").nodeInfo(elsewhere).build());
        cluster.fingerprint("n3", cluster.instance("n3").nodeInfo(nowhere).build());
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        never(cluster.decision("a", "n2", request), NeverReason.OUT_OF_REACH);
        never(cluster.decision("b", "n3", request), NeverReason.OUT_OF_REACH);
        cluster.claim("c", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.volume("everywhere", SINGLE_NODE_WRITER);
        cluster.claim("b", "n3", "everywhere", WRITE, SINGLE_NODE_WRITER);
    }

    @Test
    void claimWaitsWhileNodeHasMaximumNumberOfVolumes() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("e"), 2, Optional.of(ZONE)))
                        .build());
        cluster.volume("v1", MULTI_NODE_MULTI_WRITER)
                .volume("v2", MULTI_NODE_MULTI_WRITER)
                .volume("v3", MULTI_NODE_MULTI_WRITER);
        cluster.claim("a", "n1", "v1", WRITE, MULTI_NODE_MULTI_WRITER);
        ClaimRequest third = request("v3", WRITE, MULTI_NODE_MULTI_WRITER);
        // The volumes of one command count together.
        waits(
                cluster.refused(
                                Rejection.NotAdmitted.class,
                                take("a", request("v2", WRITE, MULTI_NODE_MULTI_WRITER), third))
                        .decision(),
                WaitReason.NODE_FULL);
        cluster.claim("a", "n1", "v2", WRITE, MULTI_NODE_MULTI_WRITER);
        waits(cluster.decision("b", "n1", third), WaitReason.NODE_FULL);
        // A volume that is on the node already needs no further capacity, even if the limit of the node has
        // decreased.
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("e"), 1, Optional.of(ZONE)))
                        .build());
        cluster.claim("b", "n1", "v2", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("e"), 2, Optional.of(ZONE)))
                        .build());
        // A volume counts until it is detached, even if its claim has left the node.
        cluster.ok(published("v1", "n1"));
        cluster.ok(checkpoint("v1", "a", ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint("v1", "a", ClaimState.NODE_DETACHED));
        cluster.ok(unpublishing("v1", "n1"));
        waits(cluster.decision("c", "n1", third), WaitReason.NODE_FULL);
        cluster.ok(Cluster.detached("v1", "n1"));
        cluster.ok(checkpoint("v1", "a", ClaimState.READY_TO_FREE));
        cluster.ok(free("v1", "a"));
        cluster.ok(take("c", third));
    }

    @Test
    void claimWaitsForVolumeCreationAndIsNeverAdmittedDuringDeletion() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("v"), spec(SINGLE_NODE_WRITER).build(), VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        ClaimRequest request = request("v", WRITE, SINGLE_NODE_WRITER);
        waits(cluster.decision("a", "n1", request), WaitReason.VOLUME_NOT_READY);
        cluster.ok(new VolumeCommand.SetVolumePhase(vol("v"), VolumePhase.DELETING, AT));
        never(cluster.decision("a", "n1", request), NeverReason.VOLUME_LEAVING);
    }

    @Test
    void placementDecisionEqualsClaimDecisionForEveryAccessMode() {
        for (VolumeAccessMode mode : VolumeAccessMode.values()) {
            if (mode == VolumeAccessMode.UNKNOWN) {
                continue;
            }
            Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", mode);
            cluster.claim("first", "n1", "v", mode.readerOnly() ? READ : WRITE, mode);
            for (String node : List.of("n1", "n2", "n3")) {
                for (var claimMode : List.of(READ, WRITE)) {
                    ClaimRequest request = request("v", claimMode, mode);
                    AdmissionDecision placed = Placement.decide(
                            cluster.state, cluster.get("v"), request, Namespace.of("default"), NodeId.of(node));
                    Cluster trial = new ClusterCopy(cluster).trial();
                    trial.allocation("a", node);
                    if (placed.admitted()) {
                        trial.ok(take("a", request));
                    } else {
                        assertThat(trial.refused(Rejection.NotAdmitted.class, take("a", request))
                                        .decision())
                                .isEqualTo(placed);
                    }
                }
            }
        }
    }

    private record ClusterCopy(Cluster original) {
        Cluster trial() {
            Cluster copy = Cluster.attaching();
            original.state.volumes(VolumeQuery.all()).items().forEach(copy.state::putVolume);
            original.state.nodes().forEach(copy.state::putNode);
            original.state.allocations().forEach(copy.state::putAllocation);
            original.state.instances().forEach(copy.state::putInstance);
            original.state.facts().forEach(copy.state::putFacts);
            return copy;
        }
    }

    @Test
    void endOfAllocationReleasesItsClaimsInSameTransaction() {
        Cluster cluster =
                Cluster.attaching().nodes("n1").volume("v1", SINGLE_NODE_WRITER).volume("v2", MULTI_NODE_READER_ONLY);
        cluster.claim("a", "n1", "v1", WRITE, SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v2", READ, MULTI_NODE_READER_ONLY);
        cluster.claim("b", "n1", "v2", READ, MULTI_NODE_READER_ONLY);
        cluster.ok(Cluster.status("a", "n1", AllocationStatus.STOPPING));
        assertThat(cluster.claimOf("v1", "a")).map(Claim::state).contains(ClaimState.TAKEN);

        var outcome = cluster.ended("a", "n1");
        assertThat(effects(outcome, Effect.ClaimReleasable.class)).hasSize(2);
        assertThat(cluster.claimOf("v1", "a")).map(Claim::state).contains(ClaimState.UNPUBLISHING);
        assertThat(cluster.claimOf("v2", "a")).map(Claim::mode).contains(READ);
        assertThat(cluster.claimOf("v2", "b")).map(Claim::state).contains(ClaimState.TAKEN);
        assertThat(cluster.get("v2").claims().readers())
                .as("the released reader still counts")
                .isEqualTo(2);
        assertThat(cluster.state.unsettledVolumes()).contains(vol("v1"), vol("v2"));

        cluster.ok(new AllocationCommand.RemoveAllocation(alloc("b"), AT));
        assertThat(cluster.claimOf("v2", "b")).map(Claim::state).contains(ClaimState.UNPUBLISHING);
        cluster.unchanged(new AllocationCommand.RemoveAllocation(alloc("b"), AT));
        cluster.unchanged(Cluster.status("a", "n1", AllocationStatus.ENDED));
        cluster.refused(Rejection.AllocationEnded.class, Cluster.status("a", "n1", AllocationStatus.RUNNING));
        cluster.refused(Rejection.AllocationMoved.class, Cluster.status("a", "n2", AllocationStatus.ENDED));
    }

    @Test
    void allocationsOfFencedNodeAreEndedAndVolumeCanBeDetached() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("b", "n2", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ok(published("v", "n2"));
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "no heartbeat", AT));
        assertThat(cluster.claimOf("v", "a")).map(Claim::state).contains(ClaimState.TAKEN);
        assertThat(cluster.refused(Rejection.AttachmentInUse.class, unpublishing("v", "n1"))
                        .message())
                .contains("volume default/v cannot be detached from node n1 while it is used by", "allocation a")
                .endsWith("; let the node unpublish it, fence the node, or override the detachment");

        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "power off", AT));
        assertThat(cluster.claimOf("v", "a")).map(Claim::state).contains(ClaimState.UNPUBLISHING);
        assertThat(cluster.claimOf("v", "b")).map(Claim::state).contains(ClaimState.TAKEN);
        assertThat(cluster.state.allocation(alloc("a")).orElseThrow().ended()).isTrue();
        assertThat(cluster.state.instancesOn(NodeId.of("n1"))).isEmpty();
        cluster.refused(Rejection.NodeLost.class, Cluster.status("c", "n1", AllocationStatus.RUNNING));
        cluster.unchanged(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "", AT));
        cluster.ok(unpublishing("v", "n1"));
        cluster.refused(Rejection.AttachmentInUse.class, unpublishing("v", "n2"));
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.READY, "repaired", AT));
        cluster.ok(Cluster.status("d", "n1", AllocationStatus.RUNNING));
    }

    @Test
    void removedNodeStaysGoneUntilItsLastClaimIsFreed() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "sold", AT));
        assertThat(cluster.statusOf("n1")).contains(NodeStatus.GONE);
        assertThat(cluster.claimOf("v", "a").flatMap(Claim::externalNodeId)).contains(ExternalNodeId.of("ext-n1"));
        cluster.unchanged(new NodeCommand.RemoveNode(NodeId.of("n1"), "sold", AT));
        cluster.refused(
                Rejection.NodeNotFound.class, new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.READY, "", AT));
        cluster.refused(
                Rejection.NodeNotFound.class,
                new PluginCommand.FingerprintNode(
                        NodeId.of("n1"), List.of(cluster.instance("n1").build()), AT));
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        cluster.ok(unpublishing("v", "n1"));
        cluster.ok(Cluster.detached("v", "n1"));
        assertThat(cluster.statusOf("n1")).as("the claim is not freed yet").contains(NodeStatus.GONE);
        cluster.ok(checkpoint("v", "a", ClaimState.READY_TO_FREE));
        var freed = cluster.ok(free("v", "a"));
        assertThat(effects(freed, Effect.NodeRemoved.class)).hasSize(1);
        assertThat(cluster.statusOf("n1")).isEmpty();

        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n2"), "", AT));
        assertThat(cluster.statusOf("n2"))
                .as("the node had no claims or attachments")
                .isEmpty();
        cluster.unchanged(new NodeCommand.RemoveNode(NodeId.of("n2"), "", AT));
        cluster.refused(Rejection.NodeNotFound.class, new NodeCommand.FenceNode(NodeId.of("n2"), "", AT));
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n2"), AT));
        cluster.unchanged(new NodeCommand.UpsertNode(NodeId.of("n2"), AT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.GONE, "", AT))
                .withMessageContaining("RemoveNode");
    }

    @Test
    void onlyLastClaimOnNodeWaitsForDetach() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("b", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.release("v", "a");
        assertThat(cluster.attachment("v", "n1")).map(Attachment::state).contains(AttachmentState.PUBLISHED);
        cluster.ok(checkpoint("v", "b", ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint("v", "b", ClaimState.NODE_DETACHED));
        Rejection.ClaimStillAttached refused =
                cluster.refused(Rejection.ClaimStillAttached.class, checkpoint("v", "b", ClaimState.READY_TO_FREE));
        assertThat(refused.message()).contains("node n1", "PUBLISHED", "default/v", "allocation b");
        cluster.release("v", "b");
        assertThat(cluster.get("v").inUse()).isFalse();
        cluster.unchanged(free("v", "b"));
        cluster.unchanged(checkpoint("v", "b", ClaimState.UNPUBLISHING));
        cluster.unchanged(Cluster.detached("v", "n1"));
        cluster.unchanged(unpublishing("v", "n1"));
    }

    @Test
    void nextMultiNodeWriterWaitsUntilOverriddenWriterIsDetached() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        cluster.claim("w", "n1", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ok(new ClaimCommand.OverrideClaim(vol("v"), alloc("w"), "op", "its power is off", AT));
        cluster.ok(free("v", "w"));
        assertThat(cluster.attachment("v", "n1").orElseThrow().readonly()).isFalse();

        waits(cluster.decision("next", "n2", request("v", WRITE, MULTI_NODE_SINGLE_WRITER)), WaitReason.BEING_DETACHED);
        cluster.claim("reader", "n2", "v", READ, MULTI_NODE_SINGLE_WRITER);
        cluster.ok(Cluster.detached("v", "n1"));
        cluster.claim("later", "n1", "v", WRITE, MULTI_NODE_SINGLE_WRITER);
    }
}

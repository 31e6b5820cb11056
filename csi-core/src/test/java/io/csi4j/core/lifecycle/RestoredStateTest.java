package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.claim.NodeOverrides;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The state is older than what the nodes have mounted: allocation "old" has ended, and "new" has its volume. */
class RestoredStateTest {
    private static final ClaimRequest V = write("v", SINGLE_NODE_WRITER);
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");

    private final ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);

    private static VolumeUse use(String volume, String allocation, ClaimMode mode) {
        return new VolumeUse(
                key(volume),
                Rig.PLUGIN,
                ExternalVolumeId.of(volume),
                AllocationId.of(allocation),
                mode,
                RequestedCapability.mount(SINGLE_NODE_WRITER),
                false);
    }

    private static VolumeUse use(String allocation) {
        return use("v", allocation, ClaimMode.WRITE);
    }

    /** The state has the claim of "old" on n1, and the server that has it starts to lead. */
    private void restored() {
        rig.use("old", "n1", V);
        rig.engine.stop();
        rig.provider.mounted.clear();
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.gateway.calls().clear();
        rig.crash();
        rig.run();
    }

    /** The node has the volume mounted for "new", and says so if it is asked. */
    private void mounted(String node, VolumeUse... uses) {
        for (VolumeUse use : uses) {
            rig.provider.mount(
                    use.volume().volumeId().value(), use.allocationId().value(), node);
            rig.provider.attach(use.volume().volumeId().value() + "@ext-" + node);
        }
        rig.gateway.ledgers.put(NodeId.of(node), new LedgerReport(List.of(uses), List.of()));
    }

    private void answers(String... nodes) {
        for (String node : nodes) {
            rig.gateway.ledgers.putIfAbsent(NodeId.of(node), LedgerReport.empty());
        }
        rig.minutes(30);
    }

    private List<RemainingWork.Reason> waits(String volume) {
        return rig.engine.status(Caller.ENGINE, key(volume)).orElseThrow().remaining().waits().stream()
                .map(RemainingWork.Wait::reason)
                .toList();
    }

    private List<String> unpublished() {
        return rig.gateway.made().stream()
                .filter(call -> call.startsWith("unpublish"))
                .toList();
    }

    private void endsOnNode(String allocation, String node) {
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> {
            rig.provider.mounted.removeIf(mount -> mount.contains(":" + allocation + "@"));
            return NodeDetached.withOthers(List.of());
        });
        rig.ended(allocation, node);
        rig.minutes(30);
    }

    @Test
    void detachThatNamesAnotherUserLeavesVolumeAttachedUntilThatUserEnds() {
        rig.use("old", "n1", V);
        rig.provider.mounted.clear();
        rig.provider.mount("v", "new", "n1");
        rig.gateway.calls().clear();
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> NodeDetached.withOthers(List.of(use("new"))));
        rig.ended("old", "n1");
        rig.minutes(60);
        assertThat(rig.gateway.made()).containsExactly("detach v:old@n1");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        assertThat(rig.state("v", "old")).isEmpty();
        endsOnNode("new", "n1");
        assertThat(unpublished()).as("%s %s", rig.gateway.made(), rig.get("v")).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void nodeThatHasNotReportedKeepsItsVolumesAttached() {
        restored();
        rig.provider.mount("v", "new", "n1");
        rig.ended("old", "n1");
        rig.minutes(600);
        assertThat(rig.gateway.made()).containsExactly("detach v:old@n1");
        assertThat(waits("v")).contains(RemainingWork.Reason.LEDGER_NOT_KNOWN);
        mounted("n1", use("new"));
        answers("n2", "ctl");
        assertThat(unpublished()).isEmpty();
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        endsOnNode("new", "n1");
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void waitingClaimOfTheRealUserIsGrantedWithoutTheEndOfTheFormerOne() {
        restored();
        rig.provider.mount("v", "new", "n1");
        CompletableFuture<ClaimGrant> grant = rig.claim("new", "n1", V);
        assertThat(grant).isNotDone();
        mounted("n1", use("new"));
        answers("n2", "ctl");
        assertThat(grant).isCompleted();
        rig.ended("old", "n1");
        rig.minutes(60);
        assertThat(unpublished()).isEmpty();
    }

    @Test
    void volumeThatMovedToAnotherNodeIsNotPublishedToItsFormerNodeAgain() {
        restored();
        mounted("n2", use("new"));
        answers("n1", "ctl");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        CompletableFuture<ClaimGrant> other = rig.claim("other", "n1", V);
        rig.minutes(60);
        assertThat(other).isNotDone();
        rig.ended("old", "n1");
        rig.minutes(60);
        assertThat(unpublished()).as("n1 uses the volume no more").containsExactly("unpublish v@ext-n1");
        assertThat(other).isNotDone();
        endsOnNode("new", "n2");
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1", "unpublish v@ext-n2");
        assertThat(other).isCompleted();
    }

    @Test
    void noClaimIsGrantedWhileANodeHasNotReported() {
        restored();
        rig.volume("w", SINGLE_NODE_WRITER);
        rig.status("n2", NodeStatus.DOWN);
        answers("n1", "ctl");
        CompletableFuture<ClaimGrant> grant = rig.claim("x", "n1", write("w", SINGLE_NODE_WRITER));
        rig.minutes(600);
        assertThat(grant).isNotDone();
        assertThat(rig.engine.status(Caller.ENGINE, key("w")).orElseThrow().waiting())
                .singleElement()
                .satisfies(waiting -> {
                    assertThat(waiting.reason().orElseThrow().reason()).isEqualTo(WaitReason.LEDGER_NOT_KNOWN);
                    assertThat(waiting.text()).contains("n2").contains("fence");
                });
        rig.status("n2", NodeStatus.FENCED);
        rig.run();
        assertThat(grant).isCompleted();
    }

    @Test
    void nodeThatReturnsAfterTheRestoreKeepsItsVolume() {
        restored();
        rig.status("n2", NodeStatus.DOWN);
        answers("n1", "ctl");
        mounted("n2", use("new"));
        rig.status("n2", NodeStatus.READY);
        rig.minutes(30);
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        rig.ended("old", "n1");
        rig.minutes(60);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
    }

    @Test
    void detachedClaimOfTheBackupIsNoProofForANodeOutOfReach() {
        rig.use("old", "n1", V);
        rig.ended("old", "n1");
        rig.free("v");
        rig.use("old2", "n1", V);
        rig.engine.stop();
        rig.ok(new AllocationCommand.UpsertAllocation(
                AllocationId.of("old2"),
                Namespace.of("default"),
                N1,
                Optional.empty(),
                AllocationStatus.ENDED,
                rig.now()));
        rig.ok(new ClaimCommand.CheckpointClaim(
                key("v"), AllocationId.of("old2"), ClaimState.NODE_DETACHED, rig.now()));
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.provider.mount("v", "new", "n1");
        rig.gateway.calls().clear();
        rig.status("n1", NodeStatus.DOWN);
        rig.crash();
        answers("n2", "ctl");
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits("v")).contains(RemainingWork.Reason.NODE_NOT_CONFIRMED);
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void orphanedAttachmentOfAVolumeInUseIsNotDetached() {
        restored();
        rig.provider.mount("v", "new", "n2");
        rig.ok(new AttachmentCommand.RecordOrphan(
                key("v"), N2, ExternalNodeId.of("ext-n2"), rig.get("v").modifyIndex(), rig.now()));
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        mounted("n2", use("new"));
        answers("n1", "ctl");
        assertThat(unpublished()).isEmpty();
        endsOnNode("new", "n2");
        assertThat(unpublished()).containsExactly("unpublish v@ext-n2");
    }

    @Test
    void writerAndReaderAreBothAdopted() {
        ClaimRequest many = write("m", MULTI_NODE_MULTI_WRITER);
        rig.volume("m", MULTI_NODE_MULTI_WRITER);
        rig.use("reader0", "n1", many);
        restored();
        VolumeUse writer = new VolumeUse(
                key("m"),
                Rig.PLUGIN,
                ExternalVolumeId.of("m"),
                AllocationId.of("writer"),
                ClaimMode.WRITE,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                false);
        VolumeUse reader = new VolumeUse(
                key("m"),
                Rig.PLUGIN,
                ExternalVolumeId.of("m"),
                AllocationId.of("reader"),
                ClaimMode.READ,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                false);
        mounted("n1", writer);
        mounted("n2", reader);
        answers("ctl");
        rig.ended("reader0", "n1");
        rig.minutes(60);
        assertThat(unpublished()).isEmpty();
        assertThat(rig.get("m").claims().holders()).hasSize(2);
        endsOnNode("writer", "n1");
        assertThat(unpublished()).containsExactly("unpublish m@ext-n1");
        endsOnNode("reader", "n2");
        assertThat(unpublished()).containsExactly("unpublish m@ext-n1", "unpublish m@ext-n2");
        rig.free("m");
    }

    @Test
    void volumeThatTheStateDoesNotHaveIsHeldForItsUserOnceItIsRegistered() {
        restored();
        mounted("n2", use("late", "new", ClaimMode.WRITE));
        answers("n1", "ctl");
        rig.volume("late", SINGLE_NODE_WRITER);
        CompletableFuture<ClaimGrant> other = rig.claim("other", "n1", write("late", SINGLE_NODE_WRITER));
        assertThat(other).isNotDone();
        rig.minutes(60);
        assertThat(rig.state("late", "new")).contains(ClaimState.TAKEN);
        assertThat(other).isNotDone();
        endsOnNode("new", "n2");
        rig.minutes(60);
        assertThat(other).isCompleted();
    }

    @Test
    void gracePeriodBeginsAgainAfterTheRestore() {
        rig.volume("g", FencingPolicy.afterGrace(Duration.ofMinutes(10)), SINGLE_NODE_WRITER);
        rig.use("old", "n1", write("g", SINGLE_NODE_WRITER));
        rig.status("n1", NodeStatus.DISCONNECTED);
        rig.engine.stop();
        rig.minutes(60);
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.gateway.calls().clear();
        rig.crash();
        rig.minutes(5);
        assertThat(rig.gateway.made()).isEmpty();
        rig.provider.mounted.clear();
        rig.minutes(10);
        assertThat(unpublished()).containsExactly("unpublish g@ext-n1");
    }

    @Test
    void fencedNodeOfTheBackupHasToBeFencedAgain() {
        rig.use("old", "n1", V);
        rig.engine.stop();
        rig.status("n1", NodeStatus.FENCED);
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.gateway.calls().clear();
        rig.crash();
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.log.snapshot().node(N1).orElseThrow().status()).isEqualTo(NodeStatus.DOWN);
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
    }

    private void replaced(String externalNodeId) {
        rig.fingerprint(rig.instance("n1", PluginType.NODE)
                .capabilities(known -> known.withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of(externalNodeId), 0, Optional.empty()))
                .build());
        rig.run();
    }

    private void formerMachineIsLost() {
        NodeOverrides overrides = new NodeOverrides(rig.operations);
        NodeOverride preview = overrides.preview(Caller.ENGINE, N1, NodeStatement.FORMER_MACHINE_LOST);
        assertThat(preview.isEmpty()).isFalse();
        rig.done(overrides.override(Caller.ENGINE, preview, "looked at the rack"));
    }

    @Test
    void reportOfTheNewMachineDoesNotDetachTheVolumeFromTheFormerOne() {
        restored();
        replaced("ext-new");
        rig.ended("old", "n1");
        answers("n1", "n2", "ctl");
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits("v")).contains(RemainingWork.Reason.NODE_REPLACED);
        formerMachineIsLost();
        rig.minutes(5);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void lostFormerMachineOfTheBackupHasToBeStatedAgainBeforeTheLedgerIsKnown() {
        rig.use("old", "n1", V);
        replaced("ext-new");
        rig.engine.stop();
        rig.provider.mounted.clear();
        formerMachineIsLost();
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.gateway.calls().clear();
        rig.crash();
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits("v")).contains(RemainingWork.Reason.NODE_REPLACED);
        formerMachineIsLost();
        rig.minutes(5);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        assertThat(rig.log.snapshot().node(N1).orElseThrow().ledger().missing()).isTrue();
    }

    @Test
    void useOfTheNewMachineBecomesAClaimOnlyAfterTheFormerMachine() {
        restored();
        replaced("ext-new");
        rig.gateway.ledgers.put(N1, new LedgerReport(List.of(use("new")), List.of()));
        answers("n2", "ctl");
        assertThat(rig.state("v", "new")).isEmpty();
        assertThat(rig.log.snapshot().node(N1).orElseThrow().ledger().unclaimed())
                .singleElement()
                .satisfies(report -> assertThat(report.uses()).containsExactly(use("new")));
        formerMachineIsLost();
        rig.minutes(60);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        assertThat(rig.get("v")
                        .claims()
                        .get(AllocationId.of("new"))
                        .orElseThrow()
                        .externalNodeId())
                .contains(ExternalNodeId.of("ext-new"));
    }

    private void reports(String externalNodeId, VolumeUse... uses) {
        rig.gateway.ledgers.put(
                N1,
                new LedgerReport(List.of(uses), List.of()).of(Map.of(Rig.PLUGIN, ExternalNodeId.of(externalNodeId))));
    }

    private List<VolumeUse> unclaimed() {
        return rig.log.snapshot().node(N1).orElseThrow().ledger().unclaimed().stream()
                .flatMap(report -> report.uses().stream())
                .toList();
    }

    @Test
    void claimOfTheBackupIsNotGrantedAgainAgainstALaterUser() {
        restored();
        CompletableFuture<ClaimGrant> again = rig.claim("old", "n1", V);
        rig.minutes(10);
        assertThat(again).as("node n2 may have the volume for another").isNotDone();
        mounted("n2", use("new"));
        answers("n1", "ctl");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        assertThat(again).isNotDone();
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> {
            rig.provider.mounted.removeIf(mount -> mount.contains(":new@"));
            return NodeDetached.withOthers(List.of());
        });
        rig.ended("new", "n2");
        rig.minutes(30);
        assertThat(again).isCompleted();
    }

    @Test
    void claimOfTheBackupIsGrantedAgainWhenNoNodeContradicts() {
        restored();
        CompletableFuture<ClaimGrant> again = rig.claim("old", "n1", V);
        answers("n1", "n2", "ctl");
        assertThat(again).isCompleted();
    }

    @Test
    void claimOfTheBackupThatItsNodeIsUnmountingIsReleased() {
        restored();
        VolumeUse use = use("old");
        mounted(
                "n1",
                new VolumeUse(
                        use.volume(),
                        use.pluginId(),
                        use.externalVolumeId(),
                        use.allocationId(),
                        use.mode(),
                        use.capability(),
                        true));
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> {
            rig.provider.mounted.removeIf(mount -> mount.contains(":old@"));
            return NodeDetached.withOthers(List.of());
        });
        answers("n2", "ctl");
        assertThat(rig.state("v", "old"))
                .as("the allocation runs, but has released the volume since the backup")
                .isEmpty();
    }

    @Test
    void reportOfANewMachineDoesNotEndTheUsesOfTheFormerOne() {
        restored();
        VolumeUse late = use("late", "new", ClaimMode.WRITE);
        reports("ext-n1", late);
        answers("n2", "ctl");
        replaced("ext-new");
        reports("ext-new");
        rig.minutes(60);
        assertThat(unclaimed()).containsExactly(late);
        rig.volume("late", SINGLE_NODE_WRITER);
        CompletableFuture<ClaimGrant> other = rig.claim("other", "n2", write("late", SINGLE_NODE_WRITER));
        rig.minutes(60);
        assertThat(other).isNotDone();
        formerMachineIsLost();
        rig.minutes(5);
        assertThat(unclaimed()).isEmpty();
        assertThat(other).isCompleted();
    }

    @Test
    void useOfAMachineThatTheStateDoesNotKnowYetIsNotAdoptedForItsPredecessor() {
        rig.volume("w", SINGLE_NODE_WRITER);
        restored();
        VolumeUse use = use("w", "new", ClaimMode.WRITE);
        reports("ext-new", use);
        answers("n2", "ctl");
        assertThat(rig.state("w", "new")).isEmpty();
        assertThat(unclaimed()).containsExactly(use);
        assertThat(rig.log.snapshot().node(N1).orElseThrow().ledger().missing())
                .as("the machine that the state knows has not reported")
                .isTrue();
        replaced("ext-new");
        rig.minutes(60);
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
        assertThat(rig.get("w")
                        .claims()
                        .get(AllocationId.of("new"))
                        .orElseThrow()
                        .externalNodeId())
                .contains(ExternalNodeId.of("ext-new"));
    }

    @Test
    void volumeWithoutAKnownUserOnAFormerMachineIsHeld() {
        restored();
        rig.gateway.ledgers.put(
                N1, new LedgerReport(List.of(), List.of(key("v"))).of(Map.of(Rig.PLUGIN, ExternalNodeId.of("ext-n1"))));
        answers("n2", "ctl");
        replaced("ext-new");
        reports("ext-new");
        rig.minutes(60);
        assertThat(rig.log.snapshot().unsettledNodes()).hasSize(1);
        formerMachineIsLost();
        rig.minutes(5);
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
    }

    @Test
    void volumeIsPublishedAgainBeforeAClaimIsGrantedAfterTheRestore() {
        rig.volume("m", MULTI_NODE_MULTI_WRITER);
        rig.use("m-old", "n1", write("m", MULTI_NODE_MULTI_WRITER));
        restored();
        assertThat(rig.get("m").attachments().on(N1).orElseThrow().state()).isEqualTo(AttachmentState.PUBLISHING);
        // The volume was detached after the backup.
        rig.provider.attached.clear();
        CompletableFuture<ClaimGrant> grant = rig.claim("m-new", "n1", write("m", MULTI_NODE_MULTI_WRITER));
        rig.minutes(5);
        assertThat(grant).isNotDone();
        assertThat(rig.gateway.made()).isEmpty();
        answers("n1", "n2", "ctl");
        assertThat(rig.gateway.made()).contains("publish m@ext-n1");
        assertThat(grant).isCompleted();
    }

    @Test
    void adoptedUseWithAnotherCapabilityThanTheBackupIsPublishedWithItsOwn() {
        rig.volume("m", SINGLE_NODE_WRITER, MULTI_NODE_MULTI_WRITER);
        rig.use("m-old", "n1", write("m", SINGLE_NODE_WRITER));
        restored();
        mounted(
                "n1",
                new VolumeUse(
                        key("m"),
                        Rig.PLUGIN,
                        ExternalVolumeId.of("m"),
                        AllocationId.of("new"),
                        ClaimMode.WRITE,
                        RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                        false));
        answers("n2", "ctl");
        assertThat(rig.get("m").attachments().on(N1).orElseThrow().capability())
                .isEqualTo(RequestedCapability.mount(MULTI_NODE_MULTI_WRITER));
    }

    @Test
    void claimIsNotGrantedAgainstAnAdoptedClaimWithAnotherCapability() {
        rig.volume("m", SINGLE_NODE_WRITER, MULTI_NODE_MULTI_WRITER);
        rig.use("a-old", "n1", write("m", MULTI_NODE_MULTI_WRITER));
        restored();
        mounted("n2", use("m", "z", ClaimMode.WRITE));
        answers("n1", "ctl");
        assertThat(rig.state("m", "z")).contains(ClaimState.TAKEN);
        CompletableFuture<ClaimGrant> other = rig.claim("other", "n1", write("m", MULTI_NODE_MULTI_WRITER));
        rig.minutes(5);
        assertThat(other).isNotDone();
        assertThat(rig.state("m", "other")).isEmpty();
    }

    @Test
    void nodeThatReturnsIsAskedAgainOnlyAfterItsFirstAnswer() {
        restored();
        answers("n2", "ctl");
        List<CompletableFuture<LedgerReport>> open = new ArrayList<>();
        rig.gateway.ledgerAnswers = nodeId -> {
            open.add(new CompletableFuture<>());
            return open.get(open.size() - 1);
        };
        rig.status("n1", NodeStatus.DOWN);
        rig.run();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(open).hasSize(1);
        rig.status("n1", NodeStatus.DOWN);
        rig.minutes(1);
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(open).as("the first question has no answer yet").hasSize(1);
        open.get(0).completeExceptionally(new CsiException("connection lost"));
        rig.run();
        assertThat(open).hasSize(2);
        open.get(1).complete(LedgerReport.empty());
        rig.run();
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
    }

    @Test
    void fencedNodeEndsTheUsesOfItsPresentMachineOnly() {
        restored();
        reports("ext-n1", use("late", "one", ClaimMode.WRITE));
        answers("n2", "ctl");
        replaced("ext-new");
        reports("ext-new", use("later", "two", ClaimMode.WRITE));
        rig.minutes(60);
        assertThat(unclaimed()).hasSize(2);
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        assertThat(unclaimed()).containsExactly(use("late", "one", ClaimMode.WRITE));
        rig.status("n1", NodeStatus.GONE);
        rig.run();
        assertThat(unclaimed()).containsExactly(use("late", "one", ClaimMode.WRITE));
    }

    @Test
    void fencedNodeOfAnAllocationReleasesItsAdoptedClaimElsewhere() {
        restored();
        rig.ended("old", "n1");
        mounted("n1", use("new"));
        answers("n2", "ctl");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        rig.engine.stop();
        rig.allocation("new", "n2", AllocationStatus.RUNNING);
        rig.status("n2", NodeStatus.FENCED);
        assertThat(rig.state("v", "new")).contains(ClaimState.UNPUBLISHING);
    }

    @Test
    void usesOfEndedAllocationsAreUnmounted() {
        restored();
        rig.allocation("new", "n1", AllocationStatus.ENDED);
        mounted("n1", use("new"));
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> {
            rig.provider.mounted.removeIf(mount -> mount.contains(":new@"));
            return NodeDetached.withOthers(List.of());
        });
        answers("n2", "ctl");
        assertThat(rig.gateway.made()).contains("detach v:new@n1");
        assertThat(rig.get("v").attachments().on(N1).orElseThrow().state()).isEqualTo(AttachmentState.PUBLISHED);
    }

    @Test
    void endOfAllocationThatTheStateDoesNotHaveReleasesItsAdoptedClaim() {
        restored();
        rig.ended("old", "n1");
        mounted("n1", use("new"));
        answers("n2", "ctl");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        rig.minutes(600);
        assertThat(rig.state("v", "new")).as("no scan ends it").contains(ClaimState.TAKEN);
        rig.gateway.answer(Rpc.NODE_UNPUBLISH_VOLUME, request -> {
            rig.provider.mounted.clear();
            return NodeDetached.withOthers(List.of());
        });
        rig.ok(new AllocationCommand.RemoveAllocation(AllocationId.of("new"), rig.now()));
        rig.minutes(5);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void renamedVolumeIsRecognisedByItsExternalId() {
        restored();
        VolumeUse renamed = new VolumeUse(
                VolumeKey.of("default", "formerName"),
                Rig.PLUGIN,
                ExternalVolumeId.of("v"),
                AllocationId.of("new"),
                ClaimMode.WRITE,
                RequestedCapability.mount(SINGLE_NODE_WRITER),
                false);
        rig.provider.mount("v", "new", "n1");
        rig.gateway.ledgers.put(N1, new LedgerReport(List.of(renamed), List.of()));
        answers("n2", "ctl");
        assertThat(rig.state("v", "new")).contains(ClaimState.TAKEN);
        endsOnNode("new", "n1");
        assertThat(rig.gateway
                        .request(Rpc.NODE_UNPUBLISH_VOLUME, NodeDetach.class)
                        .volume())
                .as("the node has no mount under another key")
                .isEqualTo(renamed.volume());
    }

    @Test
    void renamedVolumeIsMountedElsewhereOnlyWhenItsNodeHasUnmountedIt() {
        restored();
        rig.volume("w", MULTI_NODE_MULTI_WRITER);
        VolumeUse renamed = new VolumeUse(
                VolumeKey.of("default", "formerName"),
                Rig.PLUGIN,
                ExternalVolumeId.of("w"),
                AllocationId.of("new"),
                ClaimMode.WRITE,
                RequestedCapability.mount(MULTI_NODE_MULTI_WRITER),
                false);
        rig.provider.mount("w", "new", "n1");
        rig.gateway.ledgers.put(N1, new LedgerReport(List.of(renamed), List.of()));
        answers("n2", "ctl");
        CompletableFuture<ClaimGrant> other = rig.claim("other", "n1", write("w", MULTI_NODE_MULTI_WRITER));
        rig.minutes(30);
        assertThat(other).as("the node would stage it twice").isNotDone();
        endsOnNode("new", "n1");
        rig.gateway.ledgers.put(N1, LedgerReport.empty());
        rig.minutes(30);
        assertThat(other).isCompleted();
    }

    @Test
    void volumeWithoutAKnownUserIsHeld() {
        restored();
        rig.provider.mount("v", "unknown", "n1");
        rig.gateway.ledgers.put(N1, new LedgerReport(List.of(), List.of(key("v"))));
        answers("n2", "ctl");
        rig.ended("old", "n1");
        rig.minutes(600);
        assertThat(unpublished()).isEmpty();
        assertThat(waits("v")).contains(RemainingWork.Reason.LEDGER_NOT_KNOWN);
        rig.provider.mounted.clear();
        rig.gateway.ledgers.put(N1, LedgerReport.empty());
        rig.minutes(60);
        assertThat(unpublished()).containsExactly("unpublish v@ext-n1");
    }
}

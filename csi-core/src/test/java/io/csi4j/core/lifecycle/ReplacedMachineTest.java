package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.claim.NodeOverrides;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RemainingWork;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Another machine, or the same one under another name, registers under the id of a node that is in use. */
class ReplacedMachineTest {
    private static final ClaimRequest V = write("v", SINGLE_NODE_WRITER);
    private static final ClaimRequest MANY = write("v", MULTI_NODE_MULTI_WRITER);
    private static final NodeId N1 = NodeId.of("n1");

    private static ClaimRig inUse(ClaimRequest request) {
        ClaimRig rig =
                ClaimRig.with("n1", "n2").volume("v", request.capability().accessMode());
        rig.use("a", "n1", request);
        rig.gateway.calls().clear();
        return rig;
    }

    /** The plugin on node n1 reports another external id. */
    private static void reports(ClaimRig rig, String externalNodeId, long maxVolumes) {
        rig.fingerprint(rig.instance("n1", PluginType.NODE)
                .capabilities(known -> known.withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of(externalNodeId), maxVolumes, Optional.empty()))
                .build());
        rig.run();
    }

    private static void replace(ClaimRig rig) {
        reports(rig, "ext-new", 0);
    }

    private static void state(ClaimRig rig, NodeStatement statement) {
        NodeOverrides overrides = new NodeOverrides(rig.operations);
        NodeOverride preview = overrides.preview(Caller.ENGINE, N1, statement);
        assertThat(preview.isEmpty()).isFalse();
        rig.done(overrides.override(Caller.ENGINE, preview, "looked at the rack"));
    }

    private static List<RemainingWork.Reason> waits(ClaimRig rig) {
        return rig.engine.status(Caller.ENGINE, key("v")).orElseThrow().remaining().waits().stream()
                .map(RemainingWork.Wait::reason)
                .toList();
    }

    private static WaitReason waitsFor(ClaimRig rig) {
        return rig.engine
                .status(Caller.ENGINE, key("v"))
                .orElseThrow()
                .waiting()
                .get(0)
                .reason()
                .orElseThrow()
                .reason();
    }

    @Test
    void newClaimWaitsWhileTheVolumeIsInUseByTheFormerMachine() {
        ClaimRig rig = inUse(MANY);
        replace(rig);
        CompletableFuture<ClaimGrant> grant = rig.claim("b", "n1", MANY);
        rig.minutes(10);
        assertThat(grant).isNotDone();
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waitsFor(rig)).isEqualTo(WaitReason.NODE_REPLACED);
        assertThat(waits(rig)).containsOnly(RemainingWork.Reason.NODE_REPLACED);
    }

    @Test
    void repeatedClaimOfTheSameAllocationIsNotGrantedWithTheFormerPublishContext() {
        ClaimRig rig = inUse(V);
        replace(rig);
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.minutes(1);
        assertThat(grant).isNotDone();
        assertThat(waitsFor(rig)).isEqualTo(WaitReason.NODE_REPLACED);
    }

    @Test
    void grantIsHeldWhenTheMachineIsReplacedDuringThePublishCall() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        HandCall publish = rig.gateway.only();
        replace(rig);
        rig.gateway.answer();
        publish.succeed();
        rig.run();
        assertThat(grant).isNotDone();
        state(rig, NodeStatement.MACHINE_RENAMED);
        assertThat(grant).isCompleted();
    }

    @Test
    void endOfTheAllocationAsksNeitherTheNewMachineNorTheController() {
        ClaimRig rig = inUse(V);
        replace(rig);
        rig.ended("a", "n1");
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(waits(rig)).contains(RemainingWork.Reason.NODE_REPLACED);
        assertThat(rig.engine.workers()).isZero();
    }

    @Test
    void answerOfTheNewMachineToACallForTheFormerOneFreesNothing() {
        ClaimRig rig = inUse(V);
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        HandCall detach = rig.gateway.only();
        replace(rig);
        rig.gateway.answer();
        detach.succeed();
        rig.minutes(10);
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
    }

    @Test
    void reportOfTheNewMachineThatNothingIsMountedFreesNothing() {
        ClaimRig rig = inUse(V);
        replace(rig);
        rig.done(rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), N1, AllocationId.of("a")));
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(rig.gateway.made()).isEmpty();
    }

    @Test
    void releaseContinuesWhenTheFormerMachineReportsAgain() {
        ClaimRig rig = inUse(V);
        replace(rig);
        rig.ended("a", "n1");
        reports(rig, "ext-n1", 0);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void fencingBeforeTheReplacementReleasesTheVolumeFromTheFormerExternalId() {
        ClaimRig rig = inUse(V);
        rig.provider.mounted.clear();
        rig.engine.stop();
        rig.status("n1", NodeStatus.FENCED);
        rig.status("n1", NodeStatus.READY);
        replace(rig);
        rig.engine.start();
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
        rig.use("b", "n1", V);
        assertThat(rig.gateway.made()).endsWith("publish v@ext-new");
    }

    @Test
    void fencingAfterTheReplacementSaysNothingAboutTheFormerMachine() {
        ClaimRig rig = inUse(V);
        replace(rig);
        rig.status("n1", NodeStatus.FENCED);
        rig.minutes(10);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits(rig)).contains(RemainingWork.Reason.NODE_REPLACED);
        rig.provider.mounted.clear();
        state(rig, NodeStatement.FORMER_MACHINE_LOST);
        rig.free("v");
    }

    @Test
    void lateReportOfTheFencedMachineDoesNotWithdrawTheHostsWord() {
        ClaimRig rig = inUse(V);
        rig.provider.mounted.clear();
        rig.engine.stop();
        rig.status("n1", NodeStatus.FENCED);
        reports(rig, "ext-n1", 0);
        rig.status("n1", NodeStatus.READY);
        replace(rig);
        rig.engine.start();
        rig.run();
        rig.free("v");
    }

    @Test
    void reportOfTheMachineThatWasFencedAndReturnedWithdrawsTheHostsWord() {
        ClaimRig rig = inUse(V);
        rig.engine.stop();
        rig.status("n1", NodeStatus.FENCED);
        rig.status("n1", NodeStatus.READY);
        reports(rig, "ext-n1", 0);
        replace(rig);
        rig.engine.start();
        rig.minutes(10);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits(rig)).contains(RemainingWork.Reason.NODE_REPLACED);
    }

    @Test
    void oneStatementReleasesAllVolumesOfALostMachineAndTheNextClaimIsPublishedToTheNewOne() {
        ClaimRig rig = inUse(MANY);
        rig.volume("w", SINGLE_NODE_WRITER).use("c", "n1", write("w", SINGLE_NODE_WRITER));
        rig.gateway.calls().clear();
        replace(rig);
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n1", MANY);
        rig.provider.mounted.clear();
        NodeOverride preview =
                new NodeOverrides(rig.operations).preview(Caller.ENGINE, N1, NodeStatement.FORMER_MACHINE_LOST);
        assertThat(preview.claims())
                .extracting(claim -> claim.volume().volumeId() + ":" + claim.allocationId())
                .containsExactly("v:a", "w:c");
        assertThat(preview.attachments()).hasSize(2);
        assertThat(preview.machines())
                .containsExactly(new NodeOverride.FormerMachine(
                        Rig.PLUGIN, ExternalNodeId.of("ext-n1"), ExternalNodeId.of("ext-new")));
        state(rig, NodeStatement.FORMER_MACHINE_LOST);
        assertThat(waiting).isCompleted();
        assertThat(rig.gateway.made())
                .containsExactlyInAnyOrder("unpublish v@ext-n1", "unpublish w@ext-n1", "publish v@ext-new");
        rig.free("w");
        NodeMachine machine =
                rig.log.snapshot().node(N1).orElseThrow().machine(Rig.PLUGIN).orElseThrow();
        assertThat(machine.statement())
                .hasValueSatisfying(statement -> assertThat(statement.reason()).isEqualTo("looked at the rack"));
    }

    @Test
    void oneStatementKeepsTheClaimsOfARenamedMachine() {
        ClaimRig rig = inUse(MANY);
        replace(rig);
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n1", MANY);
        state(rig, NodeStatement.MACHINE_RENAMED);
        assertThat(waiting).isCompleted();
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.get("v").claims())
                .extracting(Claim::externalNodeId)
                .containsOnly(Optional.of(ExternalNodeId.of("ext-new")));
        rig.provider.attached.remove("v@ext-n1");
        rig.provider.attached.add("v@ext-new");
        rig.ended("a", "n1");
        rig.ended("b", "n1");
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "detach v:b@n1", "unpublish v@ext-new");
    }

    @Test
    void statementIsRejectedIfTheNodeWasReplacedAgainSinceThePreview() {
        ClaimRig rig = inUse(V);
        replace(rig);
        NodeOverrides overrides = new NodeOverrides(rig.operations);
        NodeOverride preview = overrides.preview(Caller.ENGINE, N1, NodeStatement.MACHINE_RENAMED);
        reports(rig, "ext-third", 0);
        RejectedException failure =
                rig.failed(overrides.override(Caller.ENGINE, preview, "same rack"), RejectedException.class);
        assertThat(failure.reason()).isInstanceOf(Rejection.InBatch.class);
        assertThat(failure).hasMessageContaining("ext-third").hasMessageContaining("ext-new");
    }

    @Test
    void volumeOfTheFormerMachineTakesNoSlotOfTheNewOne() {
        ClaimRig rig = inUse(V);
        rig.volume("w", SINGLE_NODE_WRITER);
        reports(rig, "ext-new", 1);
        rig.use("b", "n1", write("w", SINGLE_NODE_WRITER));
        assertThat(rig.gateway.made()).containsExactly("publish w@ext-new");
    }

    @Test
    void statementThatANodeIsUnmountedEndsAllItsClaimsAndDetachesTheVolumes() {
        ClaimRig rig = inUse(MANY);
        rig.volume("w", SINGLE_NODE_WRITER).use("c", "n1", write("w", SINGLE_NODE_WRITER));
        rig.use("d", "n2", MANY);
        rig.gateway.calls().clear();
        rig.status("n1", NodeStatus.DOWN);
        rig.provider.mounted.removeIf(mount -> mount.endsWith("@n1"));
        state(rig, NodeStatement.UNMOUNTED);
        rig.free("w");
        assertThat(rig.gateway.made()).containsExactlyInAnyOrder("unpublish v@ext-n1", "unpublish w@ext-n1");
        assertThat(rig.state("v", "d")).contains(ClaimState.TAKEN);
    }

    @Test
    void statementThatANodeIsDetachedNeedsNoAnswerOfTheController() {
        ClaimRig rig = inUse(V);
        rig.controller(false);
        rig.status("n1", NodeStatus.DOWN);
        rig.provider.mounted.clear();
        state(rig, NodeStatement.DETACHED);
        rig.minutes(1);
        assertThat(rig.get("v").inUse()).isFalse();
        assertThat(rig.gateway.made()).isEmpty();
    }

    @Test
    void statementLeavesClaimsThatAreNewerThanThePreview() {
        ClaimRig rig = inUse(MANY);
        NodeOverrides overrides = new NodeOverrides(rig.operations);
        NodeOverride preview = overrides.preview(Caller.ENGINE, N1, NodeStatement.UNMOUNTED);
        rig.use("b", "n1", MANY);
        rig.done(overrides.override(Caller.ENGINE, preview, "looked at the rack"));
        assertThat(rig.state("v", "a")).isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
    }
}

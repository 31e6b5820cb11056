package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whatever lets a claim go on has it asked again, without time passing. */
class WaitingClaimsTest {
    private static WaitReason reason(List<WaitingClaim> waiting) {
        assertThat(waiting).hasSize(1);
        return waiting.get(0).reason().orElseThrow().reason();
    }

    private static void instance(ClaimRig rig, String node, boolean healthy, long max) {
        InstanceKey instance = new InstanceKey(NodeId.of(node), ClaimRig.PLUGIN, PluginType.NODE, Optional.empty());
        rig.ok(new PluginCommand.FingerprintNode(
                NodeId.of(node),
                List.of(PluginInstance.builder(instance, rig.clock.instant())
                        .health(healthy, "")
                        .capabilities(Capabilities.unknown()
                                .withServices(PluginService.CONTROLLER_SERVICE)
                                .withNode())
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), max, Optional.empty()))
                        .build()),
                rig.clock.instant()));
        rig.run();
    }

    @Test
    void claimOnVolumeBeingCreatedIsGrantedAfterCreation() {
        LifecycleRig rig = LifecycleRig.leading();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> answer);
        CompletableFuture<Volume> created =
                rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
        rig.clock.run();
        CompletableFuture<ClaimGrant> claim = rig.claim("a", "n1", SINGLE);
        assertThat(claim).isNotDone();
        assertThat(reason(rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting()))
                .isEqualTo(WaitReason.VOLUME_NOT_READY);
        assertThat(answer.complete(new CreateVolumeResponse(
                        ExternalVolume.builder(ExternalVolumeId.of("made")).build())))
                .isTrue();
        rig.clock.run();
        assertThat(created).isCompleted();
        assertThat(claim).isCompleted();
    }

    @Test
    void claimOnUnknownVolumeFailsAndSucceedsAfterRegistration() {
        LifecycleRig rig = LifecycleRig.leading();
        Rejection missing = rig.failed(rig.claim("a", "n1", SINGLE), RejectedException.class)
                .reason();
        assertThat(missing).isEqualTo(new Rejection.VolumeNotFound(VOL));
        assertThat(missing.message()).contains("default/vol");
        rig.volume(VOL);
        assertThat(rig.claim("a", "n1", SINGLE)).isCompleted();
    }

    @Test
    void waitingClaimIsGrantedWhenReleaseOfOtherVolumeFreesCapacity() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).volume("w", SINGLE_NODE_WRITER);
        instance(rig, "n1", true, 1);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n1", write("w", SINGLE_NODE_WRITER));
        assertThat(waiting).isNotDone();
        assertThat(reason(
                        rig.engine.status(Caller.ENGINE, key("w")).orElseThrow().waiting()))
                .isEqualTo(WaitReason.NODE_FULL);
        rig.ended("a", "n1");
        assertThat(waiting).as("the claim is granted without delay").isCompleted();
    }

    @Test
    void waitingClaimResumesWhenPluginRecovers() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        instance(rig, "n1", false, 0);
        CompletableFuture<ClaimGrant> waiting = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(waiting).isNotDone();
        assertThat(reason(
                        rig.engine.status(Caller.ENGINE, key("v")).orElseThrow().waiting()))
                .isEqualTo(WaitReason.NO_HEALTHY_NODE_PLUGIN);
        instance(rig, "n1", true, 0);
        assertThat(waiting).isCompleted();
    }

    @Test
    void waitingClaimResumesAfterOperatorOverride() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER));
        rig.gateway.script = call -> {
            if (call.toString().startsWith("detach")) {
                call.fail(StatusCode.INTERNAL);
            } else {
                call.succeed();
            }
            return true;
        };
        rig.ended("a", "n1");
        assertThat(waiting).isNotDone();
        rig.provider.mounted.clear();
        var word =
                rig.engine.releases().overrideClaim(Caller.ENGINE, key("v"), AllocationId.of("a"), "the node is scrap");
        rig.run();
        assertThat(word).isCompleted();
        assertThat(waiting).isCompleted();
        assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
    }

    /** A host that moves a workload: the new instance waits for the old one and fails at nothing. */
    @Test
    void movedWorkloadGetsVolumeAfterOldNodeHasDetachedIt() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("old", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.calls().clear();
        CompletableFuture<ClaimGrant> moved = rig.claim("new", "n2", write("v", SINGLE_NODE_WRITER));
        rig.minutes(30);
        assertThat(moved).isNotDone();
        assertThat(rig.gateway.made()).isEmpty();
        rig.ended("old", "n1");
        assertThat(moved).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("detach v:old@n1", "unpublish v@ext-n1", "publish v@ext-n2");
    }

    @Test
    void nodeReportReleasesOnlyClaimsOnReportingNode() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", write("v", MULTI_NODE_MULTI_WRITER)).use("b", "n1", write("v", MULTI_NODE_MULTI_WRITER));
        rig.use("c", "n2", write("v", MULTI_NODE_MULTI_WRITER));
        rig.gateway.calls().clear();
        for (String other : List.of("a", "b", "none")) {
            var report = rig.engine
                    .releases()
                    .nodeReleased(Caller.ENGINE, key("v"), NodeId.of("n2"), AllocationId.of(other));
            rig.run();
            assertThat(report).isCompleted();
        }
        assertThat(rig.get("v").claims()).allMatch(claim -> claim.state() == ClaimState.TAKEN);
        rig.provider.mounted.remove("v:a@n1");
        var report = rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), NodeId.of("n1"), AllocationId.of("a"));
        rig.run();
        assertThat(report).isCompleted();
        assertThat(rig.state("v", "a")).isEmpty();
        assertThat(rig.gateway.made())
                .as("no unpublish while claim b uses the node")
                .isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
        assertThat(rig.state("v", "c")).contains(ClaimState.TAKEN);
    }
}

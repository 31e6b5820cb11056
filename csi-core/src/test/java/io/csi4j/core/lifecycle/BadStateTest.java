package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Releases that begin with a state that is worse than any the engine makes, or with plugins at their worst. */
class BadStateTest {
    private static final RequestedCapability SHARED = RequestedCapability.mount(MULTI_NODE_MULTI_WRITER);
    private static final ClaimRequest V = write("v", MULTI_NODE_MULTI_WRITER);

    /** Claims by allocations that nobody told of, each published and mounted on a node of its own. */
    private static void strangers(ClaimRig rig, boolean externalIds, String... allocationsAndNodes) {
        List<Claim> claims = new ArrayList<>();
        List<Attachment> attachments = new ArrayList<>();
        for (String one : allocationsAndNodes) {
            String[] parts = one.split("@", 2);
            NodeId node = NodeId.of(parts[1]);
            ExternalNodeId id = externalIds ? ExternalNodeId.of("ext-" + node) : null;
            claims.add(Claim.builder(AllocationId.of(parts[0]), node, ClaimMode.WRITE, SHARED)
                    .externalNodeId(id)
                    .build());
            attachments.add(Attachment.builder(node, SHARED)
                    .externalNodeId(id)
                    .state(AttachmentState.PUBLISHED)
                    .build());
            rig.provider.mount("v", parts[0], parts[1]);
            rig.provider.attached.add("v@ext-" + parts[1]);
        }
        Volume volume = rig.get("v");
        rig.log.leftBehind(state -> state.putVolume(volume.toBuilder()
                .claims(Claims.of(claims))
                .attachments(Attachments.of(attachments))
                .build()));
    }

    private static List<RemainingWork.Reason> waits(ClaimRig rig) {
        return rig.engine.status(Caller.ENGINE, key("v")).orElseThrow().remaining().waits().stream()
                .map(RemainingWork.Wait::reason)
                .toList();
    }

    @Test
    void surplusWritersOfEndedAllocationsAreReleasedAndRunningWriterStays() {
        ClaimRig rig = ClaimRig.with("n1", "n2", "n3").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.allocation("c", "n3", AllocationStatus.RUNNING);
        rig.status("n2", NodeStatus.DOWN);
        strangers(rig, true, "a@n1", "b@n2", "c@n3");
        rig.minutes(10);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        assertThat(rig.state("v", "a")).isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.UNPUBLISHING);
        assertThat(rig.state("v", "c")).contains(ClaimState.TAKEN);
        assertThat(waits(rig)).contains(RemainingWork.Reason.NODE_NOT_CONFIRMED);

        rig.provider.mounted.remove("v:b@n2");
        rig.status("n2", NodeStatus.FENCED);
        rig.minutes(10);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1", "unpublish v@ext-n2");
        assertThat(rig.get("v").claims()).extracting(Claim::allocationId).containsExactly(AllocationId.of("c"));
        assertThat(rig.engine.workers()).isZero();
    }

    @Test
    void planReleasesOnlyClaimsOfEndedAllocations() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.allocation("c", "n2", AllocationStatus.STOPPING);
        strangers(rig, true, "a@n1", "c@n2");
        rig.gateway.leaveOpen();
        CompletableFuture<Void> collected = rig.engine.recheck(Caller.ENGINE, key("v"));
        rig.run();
        assertThat(collected).isCompleted();
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(rig.state("v", "c"))
                .as("the claim of a stopping allocation is kept")
                .contains(ClaimState.TAKEN);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
    }

    /** Without the provider's id of the node the call would mean all nodes, so it is not made, and nothing is freed. */
    @Test
    void detachFromGoneNodeWithoutExternalNodeIdWaitsForOperatorOverride() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        strangers(rig, false, "a@n1");
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.GONE);
        rig.minutes(60);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        assertThat(waits(rig)).contains(RemainingWork.Reason.EXTERNAL_NODE_ID_NOT_KNOWN);
        rig.provider.attached.clear();
        CompletableFuture<Outcome.Accepted> word = rig.engine
                .releases()
                .overrideAttachment(Caller.ENGINE, key("v"), NodeId.of("n1"), "not attached any more");
        rig.minutes(5);
        assertThat(word).isCompleted();
        assertThat(rig.gateway.made()).isEmpty();
        rig.free("v");
    }

    @Test
    void releaseOnGoneNodeNeedsNoCallIfPluginDoesNotAttach() {
        ClaimRig rig = ClaimRig.with("n1");
        rig.ok(new PluginCommand.FingerprintNode(
                NodeId.of(ClaimRig.CONTROLLER),
                List.of(controller(rig)
                        .capabilities(known -> known.withController())
                        .build()),
                rig.clock.instant()));
        rig.volume("v", MULTI_NODE_MULTI_WRITER).use("a", "n1", V);
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.GONE);
        rig.run();
        assertThat(rig.gateway.made()).isEmpty();
        rig.free("v");
    }

    private static PluginInstance.Builder controller(ClaimRig rig) {
        return PluginInstance.builder(
                        new InstanceKey(
                                NodeId.of(ClaimRig.CONTROLLER),
                                ClaimRig.PLUGIN,
                                PluginType.CONTROLLER,
                                Optional.empty()),
                        rig.clock.instant())
                .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE));
    }

    @Test
    void claimKeepsAllFieldsDespiteFailuresAndCrashesDuringRelease() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER).use("a", "n1", V);
        Claim taken = rig.get("v").claims().get(AllocationId.of("a")).orElseThrow();
        assertThat(taken.externalNodeId()).contains(ExternalNodeId.of("ext-n1"));
        rig.gateway.calls().clear();
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        for (int round = 0; round < 3; round++) {
            rig.minutes(3);
            Claim now = rig.get("v").claims().get(AllocationId.of("a")).orElseThrow();
            assertThat(now.state()).isEqualTo(ClaimState.UNPUBLISHING);
            assertThat(now.retry().attempts()).isGreaterThan(round);
            assertThat(now.toBuilder()
                            .state(ClaimState.TAKEN)
                            .retry(Retry.none())
                            .build())
                    .isEqualTo(taken);
            rig.crash();
        }
        assertThat(rig.gateway.made()).containsOnly("detach v:a@n1").hasSizeGreaterThan(3);
        rig.gateway.answer();
        rig.minutes(6);
        rig.free("v");
    }

    /** Unhealthy and without a word of what it offers, and then not there at all: neither means "does not attach". */
    @Test
    void releaseWaitsWhileControllerReportsNoCapabilitiesOrIsMissing() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER).use("a", "n1", V);
        rig.gateway.calls().clear();
        NodeId node = NodeId.of(ClaimRig.CONTROLLER);
        PluginInstance broken = controller(rig)
                .health(false, "starting")
                .capabilities(known -> known.withServices().withController())
                .build();
        rig.ok(new PluginCommand.FingerprintNode(node, List.of(broken), rig.clock.instant()));
        rig.ended("a", "n1");
        rig.minutes(30);
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        rig.ok(new PluginCommand.FingerprintNode(node, List.of(), rig.clock.instant()));
        assertThat(rig.log.snapshot().instancesOn(node)).isEmpty();
        rig.minutes(30);
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        assertThat(waits(rig)).contains(RemainingWork.Reason.NO_HEALTHY_CONTROLLER);
        rig.crash();
        rig.minutes(5);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
        rig.controller(true);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    /** A controller that has only just failed must not have a new claim go without its publish either. */
    @Test
    void claimIsNotGrantedWhileControllerReportsNoCapabilities() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        PluginInstance broken = controller(rig)
                .health(false, "starting")
                .capabilities(known -> known.withController())
                .build();
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of(ClaimRig.CONTROLLER), List.of(broken), rig.clock.instant()));
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(grant).isNotDone();
        rig.controller(true);
        rig.run();
        assertThat(grant).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
    }

    /** There is no word by which somebody could skip a step: a release by a caller goes the whole way. */
    @Test
    void commandsThatSkipReleaseStepsAreRejectedAndReleasePerformsAllSteps() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER).use("a", "n1", V);
        rig.gateway.calls().clear();
        AllocationId a = AllocationId.of("a");
        for (var command : List.of(
                new ClaimCommand.FreeClaim(key("v"), a, rig.clock.instant()),
                new ClaimCommand.CheckpointClaim(key("v"), a, ClaimState.READY_TO_FREE, rig.clock.instant()),
                new ClaimCommand.CheckpointClaim(key("v"), a, ClaimState.NODE_DETACHED, rig.clock.instant()))) {
            Outcome outcome = rig.log.submit(command).join();
            assertThat(outcome).as("%s", command).isInstanceOf(Outcome.Rejected.class);
            assertThat(((Outcome.Rejected) outcome).reason()).isInstanceOf(Rejection.ClaimStateSkipped.class);
        }
        Outcome detached = rig.log
                .submit(new AttachmentCommand.RecordUnpublishing(key("v"), NodeId.of("n1"), rig.clock.instant()))
                .join();
        assertThat(detached.accepted()).isFalse();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        CompletableFuture<Void> release = rig.engine.releases().release(Caller.ENGINE, key("v"), a);
        rig.run();
        assertThat(release).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void claimOfMissingAllocationIsReleasedAutomatically() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        AllocationId noUser = AllocationId.of("nobody");
        NodeId n1 = NodeId.of("n1");
        CompletableFuture<DetachReport> report = rig.engine.detach(Caller.ENGINE, key("v"), n1);
        List<CompletableFuture<?>> all = List.of(
                rig.engine.releases().release(Caller.ENGINE, key("v"), noUser),
                rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), n1, noUser),
                rig.engine.recheck(Caller.ENGINE, key("v")),
                report);
        rig.run();
        assertThat(all).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
        assertThat(report.join().detached()).isTrue();
        assertThat(report.join().freed()).isEmpty();
        assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }
}

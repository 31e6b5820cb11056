package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RemainingWork;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FencingTest {
    private static ClaimRig down(FencingPolicy policy) {
        ClaimRig rig = ClaimRig.with("n1", "n2")
                .volume("v", policy, SINGLE_NODE_WRITER)
                .volume("w", policy, SINGLE_NODE_WRITER)
                .use("a", "n1", write("v", SINGLE_NODE_WRITER), write("w", SINGLE_NODE_WRITER));
        rig.gateway.calls().clear();
        rig.status("n1", NodeStatus.DOWN);
        rig.ended("a", "n1");
        return rig;
    }

    @Test
    void controllerUnpublishesAfterGracePeriodAndWaitingClaimIsGranted() {
        ClaimRig rig = down(FencingPolicy.afterGrace(Duration.ofMinutes(5)));
        var waits = rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER));
        rig.clock.advance(Duration.ofMinutes(5).minusMillis(1));
        assertThat(rig.gateway.made()).isEmpty();
        rig.provider.mounted.clear();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.gateway.made())
                .containsExactlyInAnyOrder("unpublish v@ext-n1", "unpublish w@ext-n1", "publish v@ext-n2");
        assertThat(waits).isCompleted();
        rig.free("w");
    }

    private static ClaimRig held(FencingPolicy policy, NodeStatus status) {
        ClaimRig rig = ClaimRig.with("n1", "n2")
                .volume("v", policy, SINGLE_NODE_WRITER)
                .use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.calls().clear();
        rig.status("n1", status);
        return rig;
    }

    /** Nobody tells of the end of its allocation: a node that died cannot. */
    @ParameterizedTest
    @EnumSource(
            value = NodeStatus.class,
            names = {"DOWN", "DISCONNECTED"})
    void claimOfLiveAllocationEndsAfterGracePeriod(NodeStatus status) {
        ClaimRig rig = held(FencingPolicy.afterGrace(Duration.ofMinutes(5)), status);
        var waits = rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER));
        rig.clock.advance(Duration.ofMinutes(5).minusMillis(1));
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        rig.provider.mounted.clear();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1", "publish v@ext-n2");
        assertThat(waits).isCompleted();
    }

    @Test
    void claimStaysIfNodeReturnsWithinGracePeriod() {
        ClaimRig rig = held(FencingPolicy.afterGrace(Duration.ofMinutes(5)), NodeStatus.DOWN);
        rig.minutes(4);
        rig.status("n1", NodeStatus.READY);
        rig.minutes(60);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        assertThat(rig.engine.workers()).isZero();
    }

    @Test
    void gracePeriodBeginsAgainAtNextLeader() {
        ClaimRig rig = held(FencingPolicy.afterGrace(Duration.ofMinutes(5)), NodeStatus.DOWN);
        rig.minutes(4);
        rig.engine.stop();
        rig.provider.mounted.clear();
        rig.engine.start();
        rig.clock.advance(Duration.ofMinutes(5).minusMillis(1));
        assertThat(rig.gateway.made()).isEmpty();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void fenceIsRequestedForDownNodeButNotForDisconnectedNode() {
        ClaimRig rig = held(FencingPolicy.onFence(), NodeStatus.DISCONNECTED);
        rig.minutes(60);
        assertThat(rig.fenceRequests).isEmpty();
        rig.status("n1", NodeStatus.DOWN);
        rig.minutes(60);
        assertThat(rig.fenceRequests).containsExactly("n1");
        assertThat(rig.state("v", "a"))
                .as("a fence request does not release the claim")
                .contains(ClaimState.TAKEN);
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        rig.free("v");
    }

    @Test
    void claimOnDownNodeIsKeptIfFencingPolicyWaitsForConfirmation() {
        ClaimRig rig = held(FencingPolicy.waitForConfirmation(), NodeStatus.DOWN);
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
    }

    @Test
    void releaseCallsNodeThatReturnsWithinGracePeriod() {
        ClaimRig rig = down(FencingPolicy.afterGrace(Duration.ofMinutes(5)));
        rig.minutes(4);
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(rig.gateway.made()).startsWith("detach v:a@n1").hasSize(4);
        rig.free("v");
    }

    @Test
    void hostGetsOneFenceRequestAndReleaseWaitsForHostReport() {
        ClaimRig rig = down(FencingPolicy.onFence());
        rig.minutes(60);
        assertThat(rig.fenceRequests).as("one request for both volumes").containsExactly("n1");
        assertThat(rig.gateway.made())
                .as("no call before the host reports the fence")
                .isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        rig.free("v");
        rig.free("w");
    }

    @Test
    void failedFenceRequestIsSentAgain() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", FencingPolicy.onFence(), SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.fencing = (node, reason) -> {
            rig.fenceRequests.add(node.value());
            return CompletableFuture.failedFuture(new IllegalStateException("busy"));
        };
        rig.status("n1", NodeStatus.DISCONNECTED);
        rig.ended("a", "n1");
        rig.minutes(1);
        assertThat(rig.fenceRequests).hasSizeBetween(3, 8);
        int asked = rig.fenceRequests.size();
        rig.engine.stop();
        rig.minutes(10);
        assertThat(rig.fenceRequests)
                .as("an engine that does not lead requests no fence")
                .hasSize(asked);
    }

    @Test
    void secondOutageOfNodeCausesAnotherFenceRequest() {
        ClaimRig rig = down(FencingPolicy.onFence());
        rig.gateway.leaveOpen();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        rig.minutes(1);
        rig.status("n1", NodeStatus.DOWN);
        rig.run();
        rig.minutes(10);
        assertThat(rig.fenceRequests).containsExactly("n1", "n1");
    }

    @Test
    void statusShowsNoFenceStepAfterFenceWasRequested() {
        ClaimRig rig = down(FencingPolicy.onFence());
        rig.minutes(1);
        assertThat(rig.fenceRequests).containsExactly("n1");
        RemainingWork remaining = rig.engine
                .status(Caller.ENGINE, ClaimRig.key("v"))
                .orElseThrow()
                .remaining();
        assertThat(remaining.steps()).isEmpty();
        assertThat(remaining.waits())
                .extracting(RemainingWork.Wait::reason)
                .contains(RemainingWork.Reason.FENCE_REQUESTED);
    }
}

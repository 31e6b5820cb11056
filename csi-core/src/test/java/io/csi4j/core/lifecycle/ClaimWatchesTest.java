package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A claim on a node without a controller of its own, while the nodes that have one do not answer. */
class ClaimWatchesTest {
    private final LifecycleRig rig = LifecycleRig.leading();

    /** A node that only has the node's part of the plugin. */
    private void worker(String name) {
        NodeId node = NodeId.of(name);
        InstanceKey key = new InstanceKey(node, LifecycleRig.PLUGIN, PluginType.NODE, Optional.empty());
        rig.ok(new NodeCommand.UpsertNode(node, rig.clock.instant()));
        rig.fingerprint(PluginInstance.builder(key, rig.clock.instant())
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), 0, Optional.empty()))
                .build());
    }

    private void status(String node, NodeStatus status) {
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of(node), status, "", rig.clock.instant()));
    }

    private CompletableFuture<ClaimGrant> waitsForAController() {
        worker("w");
        rig.volume(VOL);
        status("n1", NodeStatus.DISCONNECTED);
        status("n2", NodeStatus.DISCONNECTED);
        CompletableFuture<ClaimGrant> claim = rig.claim("a", "w", SHARED);
        assertThat(claim).isNotDone();
        assertThat(reason()).isEqualTo(WaitReason.NO_HEALTHY_CONTROLLER);
        return claim;
    }

    private WaitReason reason() {
        return rig.done(rig.host.claims().status(VOL))
                .orElseThrow()
                .waiting()
                .get(0)
                .reason()
                .orElseThrow()
                .reason();
    }

    @Test
    void waitingClaimResumesWhenNodeOfControllerIsReadyAgain() {
        CompletableFuture<ClaimGrant> claim = waitsForAController();
        status("n2", NodeStatus.READY);
        assertThat(claim).as("the claim resumes without delay").isCompleted();
    }

    @Test
    void waitingClaimResumesWhenControllerStartsOnReadyNode() {
        CompletableFuture<ClaimGrant> claim = waitsForAController();
        rig.ok(new NodeCommand.UpsertNode(NodeId.of("n3"), rig.clock.instant()));
        status("n3", NodeStatus.DOWN);
        rig.fingerprint(rig.instance("n3").build());
        assertThat(claim).isNotDone();
        status("n3", NodeStatus.READY);
        assertThat(claim).isCompleted();
    }

    @Test
    void claimThatWaitsForNodeAndThenForControllerResumesWhenControllerIsAvailable() {
        worker("w");
        rig.volume(VOL);
        status("w", NodeStatus.DISCONNECTED);
        status("n1", NodeStatus.DISCONNECTED);
        status("n2", NodeStatus.DISCONNECTED);
        CompletableFuture<ClaimGrant> claim = rig.claim("a", "w", SHARED);
        assertThat(reason()).isEqualTo(WaitReason.NODE_NOT_READY);
        status("w", NodeStatus.READY);
        assertThat(reason()).isEqualTo(WaitReason.NO_HEALTHY_CONTROLLER);
        status("n1", NodeStatus.READY);
        assertThat(claim).isCompleted();
    }

    @Test
    void waitingClaimWatchesOnlyNodesThatRunControllerOfItsPlugin() {
        int before = rig.log.watches();
        CompletableFuture<ClaimGrant> claim = waitsForAController();
        int whileWaiting = rig.log.watches();
        worker("x");
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.log.watches()).isEqualTo(whileWaiting).isGreaterThan(before);
        // The controller's instance there is gone, and with it the interest in that node.
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n1"), List.of(), rig.clock.instant()));
        assertThat(rig.log.watches()).isEqualTo(whileWaiting - 1);
        rig.allocation("a", "w", AllocationStatus.ENDED);
        assertThat(claim).isCompletedExceptionally();
        assertThat(rig.log.watches()).isEqualTo(before);
    }
}

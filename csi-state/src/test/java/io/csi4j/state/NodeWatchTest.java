package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each change of a claim or an attachment on a node notifies the watches of this node. */
class NodeWatchTest {
    private static final NodeId HERE = NodeId.of("n1");
    private static final NodeId ELSEWHERE = NodeId.of("n2");
    private static final Attempt FAILED = Attempt.failed("unavailable", Cluster.AT.plusSeconds(60));

    private final StateStore store = StateStore.inMemory(
            StateStoreOptions.builder().watchExecutor(Runnable::run).build());
    private final Cluster cluster = new Cluster(store);

    @AfterEach
    void close() {
        store.close();
    }

    /** Creates a volume of a plugin that attaches volumes, with claims on both nodes. */
    private void claimedAndAttached() {
        cluster.accepted(new NodeCommand.UpsertNode(HERE, Cluster.AT));
        cluster.accepted(new NodeCommand.UpsertNode(ELSEWHERE, Cluster.AT));
        cluster.accepted(attaching(HERE));
        cluster.accepted(attaching(ELSEWHERE));
        cluster.volume("v", "p");
        cluster.allocation("here", "n1").allocation("elsewhere", "n2");
        cluster.claim("v", "here").claim("v", "elsewhere");
        assertThat(attachmentState()).isEqualTo(AttachmentState.PUBLISHING);
    }

    private static Command attaching(NodeId node) {
        CapabilitySet<PluginService> services =
                CapabilitySet.of(PluginService.class, List.of(PluginService.CONTROLLER_SERVICE));
        return new PluginCommand.FingerprintNode(
                node,
                List.of(PluginInstance.builder(
                                new InstanceKey(
                                        node,
                                        PluginId.of("p"),
                                        PluginType.MONOLITH,
                                        Optional.of(AllocationId.of("plugin-" + node))),
                                Cluster.AT)
                        .health(true, "")
                        .updatedAt(Cluster.AT)
                        .provider("example.com")
                        .vendorVersion("1")
                        .capabilities(Capabilities.unknown()
                                .withServices(services)
                                .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                                .withNode())
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty()))
                        .build()),
                Cluster.AT);
    }

    private Volume volume() {
        return store.snapshot().volume(Cluster.key("v")).orElseThrow();
    }

    private AttachmentState attachmentState() {
        return volume().attachments().on(HERE).orElseThrow().state();
    }

    /** Checks that a command notifies a waiting watch, a subscription and a later watch of the node, but not a watch of the other node. */
    private void wakesWatchesOfTheNodeOnly(Command command) {
        long before = store.snapshot().index();
        CompletableFuture<Long> waiting = store.newerThan(StateScope.volumesOn(HERE), before);
        CompletableFuture<Long> other = store.newerThan(StateScope.volumesOn(ELSEWHERE), before);
        List<Long> subscribed = new ArrayList<>();
        try (Subscription subscription = store.subscribe(StateScope.volumesOn(HERE), before, subscribed::add)) {
            assertThat(subscription).isNotNull();
            assertThat(waiting).isNotDone();
            cluster.accepted(command);
        }
        long index = store.snapshot().index();
        assertThat(waiting).as("%s", command).isCompletedWithValue(index);
        assertThat(subscribed).as("%s", command).containsExactly(index);
        assertThat(store.newerThan(StateScope.volumesOn(HERE), before))
                .as("after %s", command)
                .isCompletedWithValue(index);
        assertThat(other).as("%s", command).isNotDone();
        other.cancel(false);
    }

    @Test
    void attachmentStateChangeNotifiesWatchesOnItsNode() {
        claimedAndAttached();
        wakesWatchesOfTheNodeOnly(new CallCommand.RecordCallError(
                Cluster.key("v"), new CallTarget.OfAttachment(HERE, 0), FAILED, Cluster.AT));
        assertThat(attachmentState()).isEqualTo(AttachmentState.PUBLISHING);
        wakesWatchesOfTheNodeOnly(new AttachmentCommand.RecordPublished(
                Cluster.key("v"), HERE, PublishContext.of(Map.of("device", "/dev/sdb")), Cluster.AT));
        assertThat(attachmentState()).isEqualTo(AttachmentState.PUBLISHED);
        cluster.accepted(Cluster.allocation("here", "n1", AllocationStatus.ENDED));
        cluster.accepted(checkpoint(ClaimState.NODE_DETACHED));
        wakesWatchesOfTheNodeOnly(new AttachmentCommand.RecordUnpublishing(Cluster.key("v"), HERE, Cluster.AT));
        assertThat(attachmentState()).isEqualTo(AttachmentState.UNPUBLISHING);
        wakesWatchesOfTheNodeOnly(
                new AttachmentCommand.OverrideAttachment(Cluster.key("v"), HERE, "ann", "disk pulled", Cluster.AT));
        wakesWatchesOfTheNodeOnly(new AttachmentCommand.RemoveAttachment(Cluster.key("v"), HERE, Cluster.AT));
        assertThat(volume().attachments().on(HERE)).isEmpty();
        assertThat(volume().isOn(HERE)).as("the claim is still there").isTrue();
    }

    @Test
    void claimStateChangeNotifiesWatchesOnItsNode() {
        claimedAndAttached();
        wakesWatchesOfTheNodeOnly(Cluster.allocation("here", "n1", AllocationStatus.ENDED));
        assertThat(claimState()).isEqualTo(ClaimState.UNPUBLISHING);
        wakesWatchesOfTheNodeOnly(new CallCommand.RecordCallError(
                Cluster.key("v"), new CallTarget.OfClaim(AllocationId.of("here"), 0), FAILED, Cluster.AT));
        wakesWatchesOfTheNodeOnly(
                new ClaimCommand.OverrideClaim(Cluster.key("v"), AllocationId.of("here"), "ann", "off", Cluster.AT));
        assertThat(volume().isOn(HERE)).isTrue();
    }

    @Test
    void eachReleaseStepNotifiesWatchesOnNodeOfClaim() {
        claimedAndAttached();
        cluster.accepted(Cluster.allocation("here", "n1", AllocationStatus.ENDED));
        wakesWatchesOfTheNodeOnly(checkpoint(ClaimState.NODE_DETACHED));
        cluster.accepted(new AttachmentCommand.RecordUnpublishing(Cluster.key("v"), HERE, Cluster.AT));
        cluster.accepted(new AttachmentCommand.RemoveAttachment(Cluster.key("v"), HERE, Cluster.AT));
        wakesWatchesOfTheNodeOnly(checkpoint(ClaimState.READY_TO_FREE));
        assertThat(claimState()).isEqualTo(ClaimState.READY_TO_FREE);
        wakesWatchesOfTheNodeOnly(new ClaimCommand.FreeClaim(Cluster.key("v"), AllocationId.of("here"), Cluster.AT));
        assertThat(volume().isOn(HERE)).isFalse();
    }

    private static Command checkpoint(ClaimState state) {
        return new ClaimCommand.CheckpointClaim(Cluster.key("v"), AllocationId.of("here"), state, Cluster.AT);
    }

    private ClaimState claimState() {
        return volume().claims().get(AllocationId.of("here")).orElseThrow().state();
    }
}

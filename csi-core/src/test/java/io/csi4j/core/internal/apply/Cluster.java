package io.csi4j.core.internal.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@link NaiveState} with short methods to create and submit commands. */
final class Cluster {
    static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    static final PluginId PLUGIN = PluginId.of("p");
    static final Topology ZONE = Topology.of("zone", "z1");

    final NaiveState state = new NaiveState();
    private boolean attaches = true;

    /** Returns a cluster whose plugin has a controller that publishes volumes. */
    static Cluster attaching() {
        return new Cluster();
    }

    /** Returns a cluster whose plugin has no controller. */
    static Cluster withoutController() {
        Cluster cluster = new Cluster();
        cluster.attaches = false;
        return cluster;
    }

    /** Adds READY nodes, each with a healthy instance of the plugin. */
    Cluster nodes(String... names) {
        for (String name : names) {
            ok(new NodeCommand.UpsertNode(NodeId.of(name), AT));
            fingerprint(name, instance(name).build());
        }
        return this;
    }

    static InstanceKey key(String node, PluginType type) {
        return new InstanceKey(NodeId.of(node), PLUGIN, type, Optional.empty());
    }

    PluginInstance.Builder instance(String node) {
        return instance(key(node, PluginType.MONOLITH));
    }

    PluginInstance.Builder instance(InstanceKey key) {
        Capabilities onNode = Capabilities.unknown()
                .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.SINGLE_NODE_MULTI_WRITER);
        return PluginInstance.builder(key, AT)
                .provider("csi.example.com")
                .vendorVersion("1.0")
                .capabilities(
                        attaches
                                ? onNode.withServices(PluginService.CONTROLLER_SERVICE)
                                        .withController(
                                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                                ControllerCapability.PUBLISH_READONLY,
                                                ControllerCapability.SINGLE_NODE_MULTI_WRITER)
                                : onNode.withServices())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + key.nodeId()), 0, Optional.of(ZONE)));
    }

    Outcome.Accepted fingerprint(String node, PluginInstance... instances) {
        return ok(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(instances), AT));
    }

    Cluster volume(String id, VolumeAccessMode... modes) {
        ok(register(id, spec(modes).build()));
        return this;
    }

    static VolumeSpec.Builder spec(VolumeAccessMode... modes) {
        return VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(
                        List.of(modes).stream().map(RequestedCapability::mount).toList());
    }

    static VolumeCommand.RegisterVolume register(String id, VolumeSpec spec) {
        return new VolumeCommand.RegisterVolume(vol(id), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), AT);
    }

    static VolumeKey vol(String id) {
        return VolumeKey.of("default", id);
    }

    static AllocationId alloc(String id) {
        return AllocationId.of(id);
    }

    Cluster allocation(String id, String node) {
        ok(status(id, node, AllocationStatus.RUNNING));
        return this;
    }

    static AllocationCommand.UpsertAllocation status(String id, String node, AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(
                alloc(id), Namespace.of("default"), NodeId.of(node), Optional.empty(), status, AT);
    }

    Outcome.Accepted ended(String allocation, String node) {
        return ok(status(allocation, node, AllocationStatus.ENDED));
    }

    static ClaimRequest request(String volume, ClaimMode mode, VolumeAccessMode accessMode) {
        return ClaimRequest.of(vol(volume), mode, RequestedCapability.mount(accessMode));
    }

    static ClaimCommand.TakeClaims take(String allocation, ClaimRequest... requests) {
        return new ClaimCommand.TakeClaims(alloc(allocation), List.of(requests), AT);
    }

    /** Places the allocation if it is new, and claims the volume for it. */
    Claim claim(String allocation, String node, String volume, ClaimMode mode, VolumeAccessMode accessMode) {
        allocation(allocation, node);
        ok(take(allocation, request(volume, mode, accessMode)));
        return claimOf(volume, allocation).orElseThrow();
    }

    /** Returns the reason why a claim is not admitted now. */
    AdmissionDecision decision(String allocation, String node, ClaimRequest request) {
        allocation(allocation, node);
        return refused(Rejection.NotAdmitted.class, take(allocation, request)).decision();
    }

    static ClaimCommand.CheckpointClaim checkpoint(String volume, String allocation, ClaimState claimState) {
        return new ClaimCommand.CheckpointClaim(vol(volume), alloc(allocation), claimState, AT);
    }

    static ClaimCommand.FreeClaim free(String volume, String allocation) {
        return new ClaimCommand.FreeClaim(vol(volume), alloc(allocation), AT);
    }

    static AttachmentCommand.RecordPublished published(String volume, String node) {
        return new AttachmentCommand.RecordPublished(
                vol(volume), NodeId.of(node), PublishContext.of(Map.of("device", "/dev/sda")), AT);
    }

    static AttachmentCommand.RecordUnpublishing unpublishing(String volume, String node) {
        return new AttachmentCommand.RecordUnpublishing(vol(volume), NodeId.of(node), AT);
    }

    static AttachmentCommand.RemoveAttachment detached(String volume, String node) {
        return new AttachmentCommand.RemoveAttachment(vol(volume), NodeId.of(node), AT);
    }

    /** Submits all commands of a complete release. */
    void release(String volume, String allocation) {
        NodeId node = claimOf(volume, allocation).orElseThrow().nodeId();
        ok(checkpoint(volume, allocation, ClaimState.UNPUBLISHING));
        ok(checkpoint(volume, allocation, ClaimState.NODE_DETACHED));
        if (get(volume).claims().on(node).notNodeDetached() == 0) {
            ok(unpublishing(volume, node.value()));
            ok(detached(volume, node.value()));
        }
        ok(checkpoint(volume, allocation, ClaimState.READY_TO_FREE));
        ok(free(volume, allocation));
    }

    Volume get(String volume) {
        return state.volume(vol(volume)).orElseThrow();
    }

    Optional<Claim> claimOf(String volume, String allocation) {
        return get(volume).claims().get(alloc(allocation));
    }

    Optional<Attachment> attachment(String volume, String node) {
        return get(volume).attachments().on(NodeId.of(node));
    }

    Optional<NodeStatus> statusOf(String node) {
        return state.node(NodeId.of(node)).map(io.csi4j.core.cluster.Node::status);
    }

    Outcome.Accepted ok(Command command) {
        NaiveState before = state.copy();
        Outcome outcome = state.apply(command);
        assertThat(outcome)
                .as(() -> command + ": "
                        + ((outcome instanceof Outcome.Rejected r) ? r.reason().message() : ""))
                .isInstanceOf(Outcome.Accepted.class);
        Invariants.check(state);
        Invariants.check(before, state);
        return (Outcome.Accepted) outcome;
    }

    /** Submits a command that must be accepted without changing any row. */
    void unchanged(Command command) {
        assertThat(ok(command).changed()).as("%s changed something", command).isFalse();
    }

    <R extends Rejection> R refused(Class<R> reason, Command command) {
        NaiveState before = state.copy();
        Outcome outcome = state.apply(command);
        assertThat(outcome).as("%s", command).isInstanceOf(Outcome.Rejected.class);
        assertThat(state.sameRows(before)).as("nothing changed").isTrue();
        Rejection rejection = ((Outcome.Rejected) outcome).reason();
        assertThat(rejection).as(rejection.message()).isInstanceOf(reason);
        return reason.cast(rejection);
    }

    static <E extends Effect> List<E> effects(Outcome.Accepted outcome, Class<E> kind) {
        return outcome.effects().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}

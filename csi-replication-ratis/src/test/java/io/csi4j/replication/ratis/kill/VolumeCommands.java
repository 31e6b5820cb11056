package io.csi4j.replication.ratis.kill;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Commands that take and release volumes, in one batch each. */
public final class VolumeCommands {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private VolumeCommands() {}

    public static VolumeKey volume(String id) {
        return VolumeKey.of("default", id);
    }

    /** A node, a plugin without a controller, and volumes with one writer each. */
    public static Command cluster(int volumes) {
        Instant now = Instant.EPOCH;
        List<Command> commands = new ArrayList<>();
        commands.add(new NodeCommand.UpsertNode(NODE, now));
        commands.add(new PluginCommand.FingerprintNode(
                NODE,
                List.of(PluginInstance.builder(new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.empty()), now)
                        .health(true, "")
                        .capabilities(Capabilities.unknown().withServices().withNode())
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 0, Optional.empty()))
                        .build()),
                now));
        for (int i = 0; i < volumes; i++) {
            VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                    .requestedCapabilities(List.of(WRITER))
                    .build();
            commands.add(new VolumeCommand.RegisterVolume(
                    volume("v" + i), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), now));
        }
        return new Batch(commands, now);
    }

    public static Command take(VolumeKey key, AllocationId allocation) {
        Instant now = Instant.EPOCH;
        return new Batch(
                List.of(
                        new AllocationCommand.UpsertAllocation(
                                allocation, NAMESPACE, NODE, Optional.empty(), AllocationStatus.RUNNING, now),
                        new ClaimCommand.TakeClaims(
                                allocation, List.of(ClaimRequest.of(key, ClaimMode.WRITE, WRITER)), now)),
                now);
    }

    public static Command release(VolumeKey key, AllocationId allocation) {
        Instant now = Instant.EPOCH;
        List<Command> commands = new ArrayList<>();
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            commands.add(new ClaimCommand.CheckpointClaim(key, allocation, state, now));
        }
        commands.add(new ClaimCommand.FreeClaim(key, allocation, now));
        return new Batch(commands, now);
    }

    public static String holder(StateReader state, VolumeKey key) {
        return state.volume(key).orElseThrow().claims().holders().stream()
                .map(holder -> holder.allocationId().value())
                .findFirst()
                .orElse(Operation.FREE);
    }
}

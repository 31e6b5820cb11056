package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.proto.command.v1.CommandProto;
import java.time.Instant;
import java.util.Optional;

/** Reads commands for nodes, allocations and plugins. */
final class ClusterCommandsFromProto {
    private static final RowsFromProto ROWS = new RowsFromProto(NoSharing.INSTANCE);

    private ClusterCommandsFromProto() {}

    static NodeCommand upsertNode(CommandProto.UpsertNode row, Instant at) {
        return new NodeCommand.UpsertNode(NodeId.of(row.getNodeId()), at);
    }

    static NodeCommand setNodeStatus(CommandProto.SetNodeStatus row, Instant at) {
        return new NodeCommand.SetNodeStatus(
                NodeId.of(row.getNodeId()),
                PartsFromProto.name(NodeStatus.class, "status", row.getStatus()),
                row.getReason(),
                at);
    }

    static NodeCommand fenceNode(CommandProto.FenceNode row, Instant at) {
        return new NodeCommand.FenceNode(NodeId.of(row.getNodeId()), row.getReason(), at);
    }

    static NodeCommand removeNode(CommandProto.RemoveNode row, Instant at) {
        return new NodeCommand.RemoveNode(NodeId.of(row.getNodeId()), row.getReason(), at);
    }

    static NodeCommand resolveFormerMachine(CommandProto.ResolveFormerMachine row, Instant at) {
        return new NodeCommand.ResolveFormerMachine(
                NodeId.of(row.getNodeId()),
                PluginId.of(row.getPluginId()),
                ExternalNodeId.of(row.getFormer()),
                ExternalNodeId.of(row.getPresent()),
                PartsFromProto.name(NodeCommand.FormerMachine.class, "meaning", row.getMeaning()),
                row.getOperator(),
                row.getReason(),
                at);
    }

    static NodeCommand requireLedgers(CommandProto.RequireLedgers row, Instant at) {
        return new NodeCommand.RequireLedgers(row.getReason(), at);
    }

    static NodeCommand recordLedger(CommandProto.RecordLedger row, Instant at) {
        return new NodeCommand.RecordLedger(
                NodeId.of(row.getNodeId()), RowsFromProto.report(row.getReport()), row.getIfMissingSince(), at);
    }

    static AllocationCommand upsertAllocation(CommandProto.UpsertAllocation row, Instant at) {
        return new AllocationCommand.UpsertAllocation(
                AllocationId.of(row.getAllocationId()),
                Namespace.of(row.getNamespace()),
                NodeId.of(row.getNodeId()),
                row.hasDeployment() ? Optional.of(PartsFromProto.deploymentId(row.getDeployment())) : Optional.empty(),
                PartsFromProto.name(AllocationStatus.class, "status", row.getStatus()),
                at);
    }

    static AllocationCommand removeAllocation(CommandProto.RemoveAllocation row, Instant at) {
        return new AllocationCommand.RemoveAllocation(AllocationId.of(row.getAllocationId()), at);
    }

    static PluginCommand fingerprintNode(CommandProto.FingerprintNode row, Instant at) {
        return new PluginCommand.FingerprintNode(
                NodeId.of(row.getNodeId()),
                row.getInstancesList().stream().map(ROWS::instance).toList(),
                row.getOrder(),
                at);
    }

    static PluginCommand removeInstance(CommandProto.RemoveInstance row, Instant at) {
        return new PluginCommand.RemoveInstance(CommandPartsFromProto.key(row.getKey()), at);
    }

    static PluginCommand upsertDeployment(CommandProto.UpsertDeployment row, Instant at) {
        return new PluginCommand.UpsertDeployment(ROWS.deployment(row.getDeployment()), at);
    }

    static PluginCommand removeDeployment(CommandProto.RemoveDeployment row, Instant at) {
        return new PluginCommand.RemoveDeployment(PartsFromProto.deploymentId(row.getDeploymentId()), at);
    }

    static PluginCommand deletePlugin(CommandProto.DeletePlugin row, Instant at) {
        return new PluginCommand.DeletePlugin(PluginId.of(row.getPluginId()), at);
    }

    static PluginCommand setProvider(CommandProto.SetProvider row, Instant at) {
        return new PluginCommand.SetProvider(
                PluginId.of(row.getPluginId()), row.getProvider(), row.getOperator(), row.getReason(), at);
    }
}

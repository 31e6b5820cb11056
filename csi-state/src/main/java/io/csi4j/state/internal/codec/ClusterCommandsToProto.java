package io.csi4j.state.internal.codec;

import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;

/** Writes commands for nodes, allocations and plugins. They have no confidential values. */
final class ClusterCommandsToProto
        implements NodeCommand.Cases<Command.Builder>,
                AllocationCommand.Cases<Command.Builder>,
                PluginCommand.Cases<Command.Builder> {
    @Override
    public Command.Builder upsertNode(NodeCommand.UpsertNode command) {
        return Command.newBuilder()
                .setUpsertNode(CommandProto.UpsertNode.newBuilder()
                        .setNodeId(command.nodeId().value()));
    }

    @Override
    public Command.Builder setNodeStatus(NodeCommand.SetNodeStatus command) {
        return Command.newBuilder()
                .setSetNodeStatus(CommandProto.SetNodeStatus.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setStatus(command.status().name())
                        .setReason(command.reason()));
    }

    @Override
    public Command.Builder fenceNode(NodeCommand.FenceNode command) {
        return Command.newBuilder()
                .setFenceNode(CommandProto.FenceNode.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReason(command.reason()));
    }

    @Override
    public Command.Builder removeNode(NodeCommand.RemoveNode command) {
        return Command.newBuilder()
                .setRemoveNode(CommandProto.RemoveNode.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReason(command.reason()));
    }

    @Override
    public Command.Builder resolveFormerMachine(NodeCommand.ResolveFormerMachine command) {
        return Command.newBuilder()
                .setResolveFormerMachine(CommandProto.ResolveFormerMachine.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setPluginId(command.pluginId().value())
                        .setFormer(command.former().value())
                        .setPresent(command.present().value())
                        .setMeaning(command.meaning().name())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    @Override
    public Command.Builder requireLedgers(NodeCommand.RequireLedgers command) {
        return Command.newBuilder()
                .setRequireLedgers(CommandProto.RequireLedgers.newBuilder().setReason(command.reason()));
    }

    @Override
    public Command.Builder recordLedger(NodeCommand.RecordLedger command) {
        return Command.newBuilder()
                .setRecordLedger(CommandProto.RecordLedger.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReport(RowsToProto.report(command.report()))
                        .setIfMissingSince(command.ifMissingSince()));
    }

    @Override
    public Command.Builder upsertAllocation(AllocationCommand.UpsertAllocation command) {
        CommandProto.UpsertAllocation.Builder row = CommandProto.UpsertAllocation.newBuilder()
                .setAllocationId(command.allocationId().value())
                .setNamespace(command.namespace().value())
                .setNodeId(command.nodeId().value())
                .setStatus(command.status().name());
        command.deployment().map(PartsToProto::deploymentId).ifPresent(row::setDeployment);
        return Command.newBuilder().setUpsertAllocation(row);
    }

    @Override
    public Command.Builder removeAllocation(AllocationCommand.RemoveAllocation command) {
        return Command.newBuilder()
                .setRemoveAllocation(CommandProto.RemoveAllocation.newBuilder()
                        .setAllocationId(command.allocationId().value()));
    }

    @Override
    public Command.Builder fingerprintNode(PluginCommand.FingerprintNode command) {
        CommandProto.FingerprintNode.Builder row = CommandProto.FingerprintNode.newBuilder()
                .setNodeId(command.nodeId().value())
                .setOrder(command.order());
        command.instances().forEach(instance -> row.addInstances(RowsToProto.instance(instance)));
        return Command.newBuilder().setFingerprintNode(row);
    }

    @Override
    public Command.Builder removeInstance(PluginCommand.RemoveInstance command) {
        return Command.newBuilder()
                .setRemoveInstance(
                        CommandProto.RemoveInstance.newBuilder().setKey(CommandPartsToProto.key(command.key())));
    }

    @Override
    public Command.Builder upsertDeployment(PluginCommand.UpsertDeployment command) {
        return Command.newBuilder()
                .setUpsertDeployment(CommandProto.UpsertDeployment.newBuilder()
                        .setDeployment(RowsToProto.deployment(command.deployment())));
    }

    @Override
    public Command.Builder removeDeployment(PluginCommand.RemoveDeployment command) {
        return Command.newBuilder()
                .setRemoveDeployment(CommandProto.RemoveDeployment.newBuilder()
                        .setDeploymentId(PartsToProto.deploymentId(command.deploymentId())));
    }

    @Override
    public Command.Builder deletePlugin(PluginCommand.DeletePlugin command) {
        return Command.newBuilder()
                .setDeletePlugin(CommandProto.DeletePlugin.newBuilder()
                        .setPluginId(command.pluginId().value()));
    }

    @Override
    public Command.Builder setProvider(PluginCommand.SetProvider command) {
        return Command.newBuilder()
                .setSetProvider(CommandProto.SetProvider.newBuilder()
                        .setPluginId(command.pluginId().value())
                        .setProvider(command.provider())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }
}

package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.Optional;

/** The commands for nodes, allocations and plugins. They have no confidential values. */
final class ClusterCommands
        implements NodeCommand.Cases<Command.Builder>,
                AllocationCommand.Cases<Command.Builder>,
                PluginCommand.Cases<Command.Builder> {
    private static final Rows ROWS = Rows.writing(null);

    @Override
    public Command.Builder upsertNode(NodeCommand.UpsertNode command) {
        return Command.newBuilder()
                .setUpsertNode(CommandProto.UpsertNode.newBuilder()
                        .setNodeId(command.nodeId().value()));
    }

    static NodeCommand upsertNode(CommandProto.UpsertNode row, Instant at) {
        return new NodeCommand.UpsertNode(NodeId.of(row.getNodeId()), at);
    }

    @Override
    public Command.Builder setNodeStatus(NodeCommand.SetNodeStatus command) {
        return Command.newBuilder()
                .setSetNodeStatus(CommandProto.SetNodeStatus.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setStatus(command.status().name())
                        .setReason(command.reason()));
    }

    static NodeCommand setNodeStatus(CommandProto.SetNodeStatus row, Instant at) {
        return new NodeCommand.SetNodeStatus(
                NodeId.of(row.getNodeId()),
                Parts.name(NodeStatus.class, "status", row.getStatus()),
                row.getReason(),
                at);
    }

    @Override
    public Command.Builder fenceNode(NodeCommand.FenceNode command) {
        return Command.newBuilder()
                .setFenceNode(CommandProto.FenceNode.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReason(command.reason()));
    }

    static NodeCommand fenceNode(CommandProto.FenceNode row, Instant at) {
        return new NodeCommand.FenceNode(NodeId.of(row.getNodeId()), row.getReason(), at);
    }

    @Override
    public Command.Builder removeNode(NodeCommand.RemoveNode command) {
        return Command.newBuilder()
                .setRemoveNode(CommandProto.RemoveNode.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReason(command.reason()));
    }

    static NodeCommand removeNode(CommandProto.RemoveNode row, Instant at) {
        return new NodeCommand.RemoveNode(NodeId.of(row.getNodeId()), row.getReason(), at);
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

    static NodeCommand resolveFormerMachine(CommandProto.ResolveFormerMachine row, Instant at) {
        return new NodeCommand.ResolveFormerMachine(
                NodeId.of(row.getNodeId()),
                PluginId.of(row.getPluginId()),
                ExternalNodeId.of(row.getFormer()),
                ExternalNodeId.of(row.getPresent()),
                Parts.name(NodeCommand.FormerMachine.class, "meaning", row.getMeaning()),
                row.getOperator(),
                row.getReason(),
                at);
    }

    @Override
    public Command.Builder requireLedgers(NodeCommand.RequireLedgers command) {
        return Command.newBuilder()
                .setRequireLedgers(CommandProto.RequireLedgers.newBuilder().setReason(command.reason()));
    }

    static NodeCommand requireLedgers(CommandProto.RequireLedgers row, Instant at) {
        return new NodeCommand.RequireLedgers(row.getReason(), at);
    }

    @Override
    public Command.Builder loseStorage(NodeCommand.LoseStorage command) {
        StorageLoss loss = command.loss();
        CommandProto.LoseStorage.Builder row = CommandProto.LoseStorage.newBuilder()
                .setNodeId(loss.nodeId().value())
                .setPluginId(loss.pluginId().value())
                .setPlace(Values.topology(loss.place()))
                .setReason(command.reason());
        loss.named().forEach(key -> row.addNamed(Values.key(key)));
        return Command.newBuilder().setLoseStorage(row);
    }

    static NodeCommand loseStorage(CommandProto.LoseStorage row, Instant at) {
        StorageLoss loss = StorageLoss.of(
                        NodeId.of(row.getNodeId()), PluginId.of(row.getPluginId()), Values.topology(row.getPlace()))
                .naming(row.getNamedList().stream().map(Values::key).toList());
        return new NodeCommand.LoseStorage(loss, row.getReason(), at);
    }

    @Override
    public Command.Builder recordLedger(NodeCommand.RecordLedger command) {
        return Command.newBuilder()
                .setRecordLedger(CommandProto.RecordLedger.newBuilder()
                        .setNodeId(command.nodeId().value())
                        .setReport(Rows.report(command.report()))
                        .setIfMissingSince(command.ifMissingSince()));
    }

    static NodeCommand recordLedger(CommandProto.RecordLedger row, Instant at) {
        return new NodeCommand.RecordLedger(
                NodeId.of(row.getNodeId()), Rows.report(row.getReport()), row.getIfMissingSince(), at);
    }

    @Override
    public Command.Builder upsertAllocation(AllocationCommand.UpsertAllocation command) {
        CommandProto.UpsertAllocation.Builder row = CommandProto.UpsertAllocation.newBuilder()
                .setAllocationId(command.allocationId().value())
                .setNamespace(command.namespace().value())
                .setNodeId(command.nodeId().value())
                .setStatus(command.status().name());
        command.deployment().map(Parts::deploymentId).ifPresent(row::setDeployment);
        command.account().map(AccountName::value).ifPresent(row::setAccount);
        return Command.newBuilder().setUpsertAllocation(row);
    }

    static AllocationCommand upsertAllocation(CommandProto.UpsertAllocation row, Instant at) {
        return new AllocationCommand.UpsertAllocation(
                AllocationId.of(row.getAllocationId()),
                Namespace.of(row.getNamespace()),
                NodeId.of(row.getNodeId()),
                row.hasDeployment() ? Optional.of(Parts.deploymentId(row.getDeployment())) : Optional.empty(),
                Parts.name(AllocationStatus.class, "status", row.getStatus()),
                row.hasAccount() ? Optional.of(AccountName.of(row.getAccount())) : Optional.empty(),
                at);
    }

    @Override
    public Command.Builder removeAllocation(AllocationCommand.RemoveAllocation command) {
        return Command.newBuilder()
                .setRemoveAllocation(CommandProto.RemoveAllocation.newBuilder()
                        .setAllocationId(command.allocationId().value()));
    }

    static AllocationCommand removeAllocation(CommandProto.RemoveAllocation row, Instant at) {
        return new AllocationCommand.RemoveAllocation(AllocationId.of(row.getAllocationId()), at);
    }

    @Override
    public Command.Builder fingerprintNode(PluginCommand.FingerprintNode command) {
        CommandProto.FingerprintNode.Builder row = CommandProto.FingerprintNode.newBuilder()
                .setNodeId(command.nodeId().value())
                .setOrder(command.order());
        command.instances().forEach(instance -> row.addInstances(Rows.instance(instance)));
        return Command.newBuilder().setFingerprintNode(row);
    }

    static PluginCommand fingerprintNode(CommandProto.FingerprintNode row, Instant at) {
        return new PluginCommand.FingerprintNode(
                NodeId.of(row.getNodeId()),
                row.getInstancesList().stream().map(ROWS::instance).toList(),
                row.getOrder(),
                at);
    }

    @Override
    public Command.Builder removeInstance(PluginCommand.RemoveInstance command) {
        return Command.newBuilder()
                .setRemoveInstance(CommandProto.RemoveInstance.newBuilder().setKey(CommandParts.key(command.key())));
    }

    static PluginCommand removeInstance(CommandProto.RemoveInstance row, Instant at) {
        return new PluginCommand.RemoveInstance(CommandParts.key(row.getKey()), at);
    }

    @Override
    public Command.Builder upsertDeployment(PluginCommand.UpsertDeployment command) {
        return Command.newBuilder()
                .setUpsertDeployment(CommandProto.UpsertDeployment.newBuilder()
                        .setDeployment(Rows.deployment(command.deployment())));
    }

    static PluginCommand upsertDeployment(CommandProto.UpsertDeployment row, Instant at) {
        return new PluginCommand.UpsertDeployment(ROWS.deployment(row.getDeployment()), at);
    }

    @Override
    public Command.Builder removeDeployment(PluginCommand.RemoveDeployment command) {
        return Command.newBuilder()
                .setRemoveDeployment(CommandProto.RemoveDeployment.newBuilder()
                        .setDeploymentId(Parts.deploymentId(command.deploymentId())));
    }

    static PluginCommand removeDeployment(CommandProto.RemoveDeployment row, Instant at) {
        return new PluginCommand.RemoveDeployment(Parts.deploymentId(row.getDeploymentId()), at);
    }

    @Override
    public Command.Builder deletePlugin(PluginCommand.DeletePlugin command) {
        return Command.newBuilder()
                .setDeletePlugin(CommandProto.DeletePlugin.newBuilder()
                        .setPluginId(command.pluginId().value()));
    }

    static PluginCommand deletePlugin(CommandProto.DeletePlugin row, Instant at) {
        return new PluginCommand.DeletePlugin(PluginId.of(row.getPluginId()), at);
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

    static PluginCommand setProvider(CommandProto.SetProvider row, Instant at) {
        return new PluginCommand.SetProvider(
                PluginId.of(row.getPluginId()), row.getProvider(), row.getOperator(), row.getReason(), at);
    }
}

package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Previews and stores the statements of operators about whole nodes. The workers then continue by themselves. */
public final class NodeOverrides {
    /** The number of commands in one entry of the log. */
    private static final int COMMANDS_AT_ONCE = 200;

    private final Operations operations;

    public NodeOverrides(Operations operations) {
        this.operations = operations;
    }

    /** Returns what a statement would change now. */
    public NodeOverride preview(Caller caller, NodeId nodeId, NodeStatement statement) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        StateReader state = operations.state();
        Optional<Node> node = state.node(nodeId);
        boolean aboutMachines =
                statement == NodeStatement.FORMER_MACHINE_LOST || statement == NodeStatement.MACHINE_RENAMED;
        List<NodeOverride.ClaimOnNode> claims = new ArrayList<>();
        List<NodeOverride.AttachmentToNode> attachments = new ArrayList<>();
        List<NodeOverride.FormerMachine> machines = new ArrayList<>();
        boolean known = node.isPresent();
        for (VolumeKey key : state.volumesOn(nodeId)) {
            known = true;
            Volume volume = state.volume(key).orElseThrow();
            for (Claim claim : volume.claims().on(nodeId)) {
                if (aboutMachines ? addFormer(machines, node, volume, claim.externalNodeId()) : !claim.nodeDetached()) {
                    claims.add(of(state, key, claim));
                }
            }
            Optional<Attachment> attachment = volume.attachments().on(nodeId);
            if (attachment.isPresent()
                    && (aboutMachines
                            ? addFormer(machines, node, volume, attachment.get().externalNodeId())
                            : statement == NodeStatement.DETACHED
                                    && attachment.get().operatorOverride().isEmpty())) {
                attachments.add(new NodeOverride.AttachmentToNode(
                        key,
                        attachment.get().state(),
                        attachment.get().externalNodeId(),
                        attachment.get().createIndex()));
            }
        }
        if (aboutMachines && node.isPresent()) {
            addFormer(machines, node.get());
        }
        if (!known) {
            throw new RejectedException(new Rejection.NodeNotFound(nodeId));
        }
        return new NodeOverride(nodeId, statement, state.index(), claims, attachments, machines);
    }

    private static NodeOverride.ClaimOnNode of(StateReader state, VolumeKey key, Claim claim) {
        boolean ended =
                state.allocation(claim.allocationId()).map(Allocation::ended).orElse(true);
        return new NodeOverride.ClaimOnNode(key, claim.allocationId(), claim.state(), ended, claim.createIndex());
    }

    /** Adds the machine of a claim or attachment if it is a former one, and returns whether it is. */
    private static boolean addFormer(
            List<NodeOverride.FormerMachine> machines,
            Optional<Node> node,
            Volume volume,
            Optional<ExternalNodeId> externalNodeId) {
        return addFormer(machines, node, volume.pluginId(), externalNodeId);
    }

    /** Adds the former machines that have reported uses which no claim represents. */
    private static void addFormer(List<NodeOverride.FormerMachine> machines, Node node) {
        for (LedgerReport report : node.ledger().unclaimed()) {
            report.machines()
                    .orElse(Map.of())
                    .forEach((plugin, id) -> addFormer(machines, Optional.of(node), plugin, Optional.of(id)));
        }
    }

    private static boolean addFormer(
            List<NodeOverride.FormerMachine> machines,
            Optional<Node> node,
            PluginId plugin,
            Optional<ExternalNodeId> externalNodeId) {
        if (node.isEmpty() || !node.get().isFormer(plugin, externalNodeId)) {
            return false;
        }
        NodeMachine present = node.get().machine(plugin).orElseThrow();
        NodeOverride.FormerMachine machine =
                new NodeOverride.FormerMachine(plugin, externalNodeId.orElseThrow(), present.externalNodeId());
        if (!machines.contains(machine)) {
            machines.add(machine);
        }
        return true;
    }

    /** Stores the statement for everything in a preview. */
    public CompletableFuture<Void> override(Caller caller, NodeOverride preview, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        List<Command> commands = commands(preview, caller.principal().getName(), reason);
        CompletableFuture<Void> stored = CompletableFuture.completedFuture(null);
        for (int from = 0; from < commands.size(); from += COMMANDS_AT_ONCE) {
            Batch part = new Batch(
                    commands.subList(from, Math.min(from + COMMANDS_AT_ONCE, commands.size())), operations.now());
            stored = stored.thenCompose(before -> operations.submit(part)).thenAccept(accepted -> {});
        }
        return stored;
    }

    private List<Command> commands(NodeOverride preview, String operator, String reason) {
        NodeId nodeId = preview.nodeId();
        Instant now = operations.now();
        List<Command> commands = new ArrayList<>();
        switch (preview.statement()) {
            case UNMOUNTED, DETACHED -> {
                // The claims come first, because an attachment with claims that are still mounted cannot be overridden.
                preview.claims()
                        .forEach(claim -> commands.add(new ClaimCommand.OverrideClaim(
                                claim.volume(), claim.allocationId(), claim.createIndex(), operator, reason, now)));
                preview.attachments()
                        .forEach(attachment -> commands.add(new AttachmentCommand.OverrideAttachment(
                                attachment.volume(), nodeId, attachment.createIndex(), operator, reason, now)));
            }
            case FORMER_MACHINE_LOST -> resolve(commands, preview, NodeCommand.FormerMachine.LOST, operator, reason);
            case MACHINE_RENAMED -> resolve(commands, preview, NodeCommand.FormerMachine.RENAMED, operator, reason);
        }
        return commands;
    }

    private void resolve(
            List<Command> commands,
            NodeOverride preview,
            NodeCommand.FormerMachine meaning,
            String operator,
            String reason) {
        for (NodeOverride.FormerMachine machine : preview.machines()) {
            commands.add(new NodeCommand.ResolveFormerMachine(
                    preview.nodeId(),
                    machine.pluginId(),
                    machine.former(),
                    machine.present(),
                    meaning,
                    operator,
                    reason,
                    operations.now()));
        }
    }
}

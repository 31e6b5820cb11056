package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeMachine.Former;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Records which machine is behind a node, and which former machines claims and attachments still belong to. */
final class NodeMachines {
    private NodeMachines() {}

    /** Records the external id of a node that a plugin has reported. */
    static void report(Step step, NodeId nodeId, PluginId pluginId, ExternalNodeId reported) {
        Node node = step.reader().node(nodeId).orElseThrow();
        Optional<NodeMachine> known = node.machine(pluginId);
        boolean same = known.filter(machine -> machine.externalNodeId().equals(reported))
                .isPresent();
        if (same && known.get().former().isEmpty() && !known.get().fenced()) {
            return;
        }
        NodeMachine now = new NodeMachine(
                pluginId,
                reported,
                // The report of a machine behind a fenced node may have been under way when the host fenced the node.
                same && known.get().fenced() && node.status().lost(),
                former(step, nodeId, pluginId, reported, known),
                known.flatMap(NodeMachine::statement));
        if (!known.equals(Optional.of(now))) {
            step.writer().putNode(node.with(now, step.index()));
        }
    }

    private static List<Former> former(
            Step step, NodeId nodeId, PluginId pluginId, ExternalNodeId reported, Optional<NodeMachine> known) {
        TreeSet<ExternalNodeId> ids = new TreeSet<>(Comparator.comparing(ExternalNodeId::value));
        for (VolumeKey key : step.reader().volumesOn(nodeId, pluginId)) {
            Volume volume = step.reader().volume(key).orElseThrow();
            for (Claim claim : volume.claims().on(nodeId)) {
                claim.externalNodeId().ifPresent(ids::add);
            }
            volume.attachments().on(nodeId).flatMap(Attachment::externalNodeId).ifPresent(ids::add);
        }
        ids.remove(reported);
        return ids.stream().map(id -> new Former(id, lost(known, id))).toList();
    }

    private static boolean lost(Optional<NodeMachine> known, ExternalNodeId id) {
        return known.filter(machine -> machine.externalNodeId().equals(id) && machine.fenced())
                        .isPresent()
                || known.flatMap(machine -> machine.former(id))
                        .filter(Former::lost)
                        .isPresent();
    }

    /** Returns the node after the host has fenced or removed it. The host's word is about the present machine. */
    static Node fenced(Node node, long index) {
        Node fenced = node;
        for (NodeMachine machine : node.machines()) {
            fenced = fenced.with(
                    new NodeMachine(
                            machine.pluginId(), machine.externalNodeId(), true, machine.former(), machine.statement()),
                    index);
        }
        return fenced;
    }

    /**
     * Returns the machines without what the host and operators have said about their loss. After the restore of an
     * older state, a machine that was lost may be back.
     */
    static List<NodeMachine> lossesForgotten(List<NodeMachine> machines) {
        return machines.stream()
                .map(machine -> new NodeMachine(
                        machine.pluginId(),
                        machine.externalNodeId(),
                        false,
                        machine.former().stream()
                                .map(former -> new Former(former.externalNodeId(), false))
                                .toList(),
                        machine.statement()))
                .toList();
    }

    /** Applies the statement of an operator about a former machine of a node. */
    static void resolve(Step step, NodeCommand.ResolveFormerMachine command) {
        NodeId nodeId = command.nodeId();
        Node node = step.reader().node(nodeId).orElseThrow();
        NodeMachine machine = node.machine(command.pluginId()).orElseThrow();
        Optional<ExternalNodeId> former = Optional.of(command.former());
        boolean renamed = command.meaning() == NodeCommand.FormerMachine.RENAMED;
        boolean found = false;
        for (VolumeKey key : Step.collect(step.reader().volumesOn(nodeId, command.pluginId()))) {
            Volume volume = step.reader().volume(key).orElseThrow();
            if (hasMachine(volume, nodeId, former)) {
                found = true;
                if (renamed) {
                    rename(step, volume, nodeId, former, command.present());
                } else {
                    AllocationEndings.releaseAllOn(
                            step,
                            volume,
                            nodeId,
                            claim -> claim.externalNodeId().equals(former));
                }
            }
        }
        List<LedgerReport> unclaimed =
                UnclaimedUses.without(node.ledger().unclaimed(), command.pluginId(), command.former());
        NodeLedger ledger = new NodeLedger(node.ledger().missingSince(), unclaimed);
        if (!ledger.equals(node.ledger())) {
            found = true;
            node = node.withLedger(ledger, step.index());
            step.writer().putNode(node);
        }
        if (!found) {
            return;
        }
        List<Former> left = new ArrayList<>(machine.former());
        left.removeIf(one -> one.externalNodeId().equals(command.former()));
        if (!renamed) {
            left.add(new Former(command.former(), true));
            left.sort(Comparator.comparing(one -> one.externalNodeId().value()));
        }
        if (left.equals(machine.former())) {
            // The host or an operator has said so before; the first statement stays on record.
            UnreferencedRows.removeGoneNode(step, nodeId);
            return;
        }
        OperatorOverride statement = new OperatorOverride(command.operator(), command.reason(), step.at());
        NodeMachine resolved = new NodeMachine(
                machine.pluginId(), machine.externalNodeId(), machine.fenced(), left, Optional.of(statement));
        step.writer().putNode(node.with(resolved, step.index()));
        UnreferencedRows.removeGoneNode(step, nodeId);
    }

    private static boolean hasMachine(Volume volume, NodeId nodeId, Optional<ExternalNodeId> id) {
        for (Claim claim : volume.claims().on(nodeId)) {
            if (claim.externalNodeId().equals(id)) {
                return true;
            }
        }
        return volume.attachments()
                .on(nodeId)
                .filter(attachment -> attachment.externalNodeId().equals(id))
                .isPresent();
    }

    private static void rename(
            Step step, Volume volume, NodeId nodeId, Optional<ExternalNodeId> former, ExternalNodeId present) {
        Claims claims = volume.claims();
        for (Claim claim : volume.claims().on(nodeId)) {
            if (claim.externalNodeId().equals(former)) {
                claims = claims.with(claim.toBuilder().externalNodeId(present).build());
            }
        }
        Attachments attachments = volume.attachments();
        Optional<Attachment> attachment =
                attachments.on(nodeId).filter(one -> one.externalNodeId().equals(former));
        if (attachment.isPresent()) {
            attachments = attachments.with(
                    attachment.get().toBuilder().externalNodeId(present).build());
        }
        step.store(volume.toBuilder().claims(claims).attachments(attachments));
    }
}

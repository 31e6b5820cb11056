package io.csi4j.core.internal.command;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a claim has to wait because the volume has claims or an attachment of a former machine of the node. A
 * volume has at most one attachment to a node, and what was published to the former machine is of no use to the present
 * one.
 */
final class MachineConflict {
    private MachineConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, PlacementFacts facts) {
        if (facts.node().isEmpty()) {
            return null;
        }
        Node node = facts.node().get();
        PluginId plugin = volume.pluginId();
        // The instance that would serve the claim may be another one than the instance whose external id counts.
        Optional<ExternalNodeId> former =
                facts.nodeInfo().map(NodeInfo::externalNodeId).filter(id -> node.isFormer(plugin, Optional.of(id)));
        if (former.isPresent()) {
            return replaced(node, plugin, former, List.of());
        }
        List<Holder> holders = new ArrayList<>();
        former = volume.attachments()
                .on(node.id())
                .flatMap(Attachment::externalNodeId)
                .filter(id -> node.isFormer(plugin, Optional.of(id)));
        boolean replaced = node.machine(plugin)
                .filter(machine -> !machine.former().isEmpty())
                .isPresent();
        if (former.isEmpty() && !replaced) {
            return null;
        }
        for (Claim claim : volume.claims().on(node.id())) {
            if (node.isFormer(plugin, claim.externalNodeId())) {
                former = claim.externalNodeId();
                holders.add(Holder.of(claim));
            }
        }
        return former.isEmpty() ? null : replaced(node, plugin, former, holders);
    }

    static AdmissionDecision replaced(
            Node node, PluginId plugin, Optional<ExternalNodeId> former, List<Holder> holders) {
        NodeId nodeId = node.id();
        boolean lost = node.isLost(plugin, former);
        return new AdmissionDecision.Wait(
                WaitReason.NODE_REPLACED,
                holders,
                "plugin " + plugin + " reports external id "
                        + node.machine(plugin)
                                .map(NodeMachine::externalNodeId)
                                .map(ExternalNodeId::toString)
                                .orElse("none")
                        + " for node " + nodeId + ", and the volume is still in use there as "
                        + former.map(ExternalNodeId::toString).orElse("another one")
                        + (lost
                                ? "; it is being released"
                                : "; let an operator say whether that machine is lost or was renamed"));
    }
}

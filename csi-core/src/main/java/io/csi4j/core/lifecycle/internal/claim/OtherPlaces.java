package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.apply.TemplateVolumes;
import io.csi4j.core.internal.capacity.CapacityRule;
import io.csi4j.core.internal.capacity.CapacityUse;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds nodes on which a claim can make its volumes, after the plugin had no room for one of them. */
final class OtherPlaces {
    /** The most nodes that a message names. */
    static final int NAMED = 10;

    /** The most nodes that are examined, because a cluster may have thousands. */
    private static final int EXAMINED = 1000;

    private final StateReader state;
    private final CapacityRule rule;
    private final CapacityUse use;
    private final PendingClaim claim;

    OtherPlaces(StateReader state, StorageCapacity capacity, PendingClaim claim) {
        this.state = state;
        this.rule = new CapacityRule(state, capacity);
        this.use = CapacityUse.of(state);
        this.claim = claim;
    }

    /**
     * Returns nodes outside of the topology in which there was no room.
     *
     * @param refused the volume that was not made
     * @return at most ten nodes, in the order of their ids; possibly empty
     */
    List<NodeId> without(Volume refused) {
        Optional<Allocation> allocation = state.allocation(claim.allocationId);
        List<Topology> full = refused.spec()
                .accessibilityRequirements()
                .map(TopologyRequirement::preferred)
                .orElse(List.of());
        List<NodeId> found = new ArrayList<>();
        int seen = 0;
        for (Node node : state.nodes()) {
            if (allocation.isEmpty() || found.size() == NAMED || seen++ == EXAMINED) {
                break;
            }
            boolean other = Placement.nodeInstance(state, node.id(), refused.pluginId())
                    .flatMap(PluginInstance::nodeInfo)
                    .flatMap(NodeInfo::accessibleTopology)
                    .filter(topology -> !topology.containsAny(full))
                    .isPresent();
            if (other && node.status() == NodeStatus.READY && makes(allocation.get(), node.id())) {
                found.add(node.id());
            }
        }
        return found;
    }

    /** Returns whether the claim could make its volumes on a node; those that exist count as reachable. */
    private boolean makes(Allocation allocation, NodeId nodeId) {
        Allocation there = new Allocation(
                allocation.id(),
                allocation.namespace(),
                nodeId,
                allocation.deployment(),
                allocation.status(),
                allocation.modifyIndex());
        for (ClaimRequest request : claim.requests) {
            Optional<TemplateVolumes.Answer> answer = TemplateVolumes.answer(
                    state, there, volume -> Placement.facts(state, volume, nodeId), List.of(), request);
            boolean refused = answer.filter(made -> !made.decision().admitted()
                            || made.volume()
                                    .flatMap(volume -> rule.check(
                                                    volume, request, Placement.facts(state, volume, nodeId), use)
                                            .refusal())
                                    .isPresent())
                    .isPresent();
            if (refused) {
                return false;
            }
        }
        return true;
    }
}

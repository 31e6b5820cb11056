package io.csi4j.core.state;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Admission;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.PlacementFacts;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * Collects from one state the facts for {@link Admission}. A scheduler calls {@link #decide} before it places an
 * allocation; the command that takes a claim collects the same facts.
 */
public final class Placement {
    private Placement() {}

    /**
     * Decides whether an allocation that is not placed yet could claim a volume on a node.
     *
     * @param volume the volume with its current claims, and also with the claims of allocations that are to be placed
     *     at the same time
     */
    public static AdmissionDecision decide(
            StateReader state, Volume volume, ClaimRequest request, Namespace namespace, NodeId nodeId) {
        return Admission.decide(volume, request, namespace, facts(state, volume, nodeId));
    }

    /** Returns the facts about a volume's plugin and a node. */
    public static PlacementFacts facts(StateReader state, Volume volume, NodeId nodeId) {
        PluginId pluginId = volume.pluginId();
        Optional<PluginInstance> leader = nodeInstance(state, nodeId, pluginId);
        boolean limited = leader.flatMap(PluginInstance::nodeInfo)
                .map(NodeInfo::maxVolumesPerNode)
                .filter(max -> max > 0)
                .isPresent();
        Optional<PluginFacts> plugin = state.facts(pluginId);
        boolean controllerRequired = plugin.isPresent() && plugin.get().controllerNeed() == ControllerNeed.REQUIRED;
        return new PlacementFacts(
                nodeId,
                state.node(nodeId),
                leader,
                plugin,
                controllerRequired && healthyController(state, pluginId),
                limited ? countOtherVolumes(state, volume.key(), nodeId, pluginId) : 0);
    }

    /**
     * Returns the instance that serves a plugin's node service on a node. Of several instances, returns the newest
     * healthy one, or the newest one if none is healthy. Empty if there is no instance.
     */
    public static Optional<PluginInstance> nodeInstance(StateReader state, NodeId nodeId, PluginId pluginId) {
        Optional<PluginInstance> leader = Optional.empty();
        for (PluginInstance instance : state.instancesOn(nodeId, pluginId)) {
            if (instance.key().type().servesNode() && (leader.isEmpty() || instance.isPreferredTo(leader.get()))) {
                leader = Optional.of(instance);
            }
        }
        return leader;
    }

    /** Returns whether a healthy instance of the plugin's controller service runs on a READY node. */
    public static boolean healthyController(StateReader state, PluginId pluginId) {
        return healthyOn(state, state.instancesOf(pluginId, PluginType.CONTROLLER))
                || healthyOn(state, state.instancesOf(pluginId, PluginType.MONOLITH));
    }

    private static boolean healthyOn(StateReader state, Iterable<PluginInstance> instances) {
        for (PluginInstance instance : instances) {
            if (instance.healthy()
                    && state.node(instance.key().nodeId())
                            .filter(node -> node.status() == NodeStatus.READY)
                            .isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static long countOtherVolumes(StateReader state, VolumeKey key, NodeId nodeId, PluginId pluginId) {
        // A volume of a former machine takes no slot of the present one.
        Optional<Node> replaced = state.node(nodeId)
                .filter(node -> node.machine(pluginId)
                        .filter(machine -> !machine.former().isEmpty())
                        .isPresent());
        long others = 0;
        for (VolumeKey there : state.volumesOn(nodeId, pluginId)) {
            boolean counts = !there.equals(key)
                    && (replaced.isEmpty()
                            || state.volume(there)
                                    .filter(volume -> usesPresentMachine(volume, replaced.get()))
                                    .isPresent());
            others += counts ? 1 : 0;
        }
        return others;
    }

    private static boolean usesPresentMachine(Volume volume, Node node) {
        for (Claim claim : volume.claims().on(node.id())) {
            if (!node.isFormer(volume.pluginId(), claim.externalNodeId())) {
                return true;
            }
        }
        return volume.attachments()
                .on(node.id())
                .filter(attachment -> !node.isFormer(volume.pluginId(), attachment.externalNodeId()))
                .isPresent();
    }
}

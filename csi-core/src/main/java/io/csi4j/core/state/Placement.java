package io.csi4j.core.state;

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
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * Gathers from one state what {@link Admission} has to know. Placement asks {@link #decide}; the
 * transaction that takes a claim gathers the same facts by the same code (I12).
 */
public final class Placement {
    private Placement() {}

    /**
     * Whether an allocation that is yet to be placed could claim a volume on a node.
     *
     * @param state the state
     * @param volume the volume, with the claims there are and those of the same proposal
     * @param request what the allocation would want of it
     * @param namespace the allocation's namespace
     * @return admitted, to wait, or never
     */
    public static AdmissionDecision decide(
            StateReader state, Volume volume, ClaimRequest request, Namespace namespace, NodeId nodeId) {
        return Admission.decide(volume, request, namespace, facts(state, volume, nodeId));
    }

    /**
     * What admission has to know about a volume's plugin and a node.
     *
     * @param state the state
     * @return the facts
     */
    public static PlacementFacts facts(StateReader state, Volume volume, NodeId nodeId) {
        PluginId pluginId = volume.pluginId();
        Optional<PluginInstance> leader = nodeInstance(state, nodeId, pluginId);
        boolean limited = leader.flatMap(PluginInstance::nodeInfo)
                .map(NodeInfo::maxVolumesPerNode)
                .filter(most -> most > 0)
                .isPresent();
        Optional<PluginFacts> plugin = state.facts(pluginId);
        boolean attaches = plugin.isPresent() && plugin.get().controllerNeed() == ControllerNeed.REQUIRED;
        return new PlacementFacts(
                nodeId,
                state.node(nodeId),
                leader,
                plugin,
                attaches && healthyController(state, pluginId),
                limited ? others(state, volume.key(), nodeId, pluginId) : 0);
    }

    /**
     * The instance that leads a plugin's node service on a node: the healthy before the unhealthy, then the newest
     * (S38).
     *
     * @param state the state
     * @return empty: there is none
     */
    public static Optional<PluginInstance> nodeInstance(StateReader state, NodeId nodeId, PluginId pluginId) {
        Optional<PluginInstance> leader = Optional.empty();
        for (PluginInstance instance : state.instancesOn(nodeId, pluginId)) {
            if (instance.key().type().servesNode() && (leader.isEmpty() || instance.leads(leader.get()))) {
                leader = Optional.of(instance);
            }
        }
        return leader;
    }

    /**
     * Whether a plugin has a healthy instance of the controller service on a node that answers.
     *
     * @param state the state
     * @return true if so
     */
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

    private static long others(StateReader state, VolumeKey key, NodeId nodeId, PluginId pluginId) {
        long others = 0;
        for (VolumeKey there : state.volumesOn(nodeId, pluginId)) {
            others += there.equals(key) ? 0 : 1;
        }
        return others;
    }
}

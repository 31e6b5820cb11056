package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.capability.CapabilityTable;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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

    /**
     * Returns the facts about a volume's plugin and a node, for a command. A command has the same outcome on every server,
     * so it does not ask the host which controllers are trusted; the engine has asked before, and asks for each call.
     */
    public static PlacementFacts facts(StateReader state, Volume volume, NodeId nodeId) {
        return facts(state, ControllerTrust.everyNode(), volume, nodeId);
    }

    /** Returns the facts about a volume's plugin and a node. */
    public static PlacementFacts facts(StateReader state, ControllerTrust trust, Volume volume, NodeId nodeId) {
        PluginId pluginId = volume.pluginId();
        Optional<PluginInstance> leader =
                conflictingInstance(state, nodeId, pluginId).or(() -> nodeInstance(state, nodeId, pluginId));
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
                controllerRequired && healthyController(state, trust, pluginId, Rpc.CONTROLLER_PUBLISH_VOLUME),
                limited ? countOtherVolumes(state, volume, nodeId, pluginId) : 0,
                Ledgers.firstUnsettled(state, volume),
                Verifications.missing(state, volume));
    }

    /**
     * Returns the instance that serves a plugin's node service on a node. Of several instances, prefers those without
     * {@linkplain PluginFacts#conflictsWith another provider name}; of these, returns the newest healthy one, or the
     * newest one if none is healthy. Empty if there is no instance.
     */
    public static Optional<PluginInstance> nodeInstance(StateReader state, NodeId nodeId, PluginId pluginId) {
        Optional<PluginFacts> facts = state.facts(pluginId);
        Optional<PluginInstance> leader = Optional.empty();
        for (PluginInstance instance : state.instancesOn(nodeId, pluginId)) {
            if (instance.key().type().servesNode()
                    && (leader.isEmpty() || isPreferred(facts, instance, leader.get()))) {
                leader = Optional.of(instance);
            }
        }
        return leader;
    }

    private static boolean isPreferred(Optional<PluginFacts> facts, PluginInstance instance, PluginInstance other) {
        boolean conflict = facts.isPresent() && facts.get().conflictsWith(instance);
        boolean otherConflict = facts.isPresent() && facts.get().conflictsWith(other);
        return conflict == otherConflict ? instance.isPreferredTo(other) : otherConflict;
    }

    /**
     * Returns whether a call of a plugin's node service on a node could reach another driver than the plugin's volumes
     * belong to. No call for a volume is sent to such a node.
     */
    public static boolean providerConflict(StateReader state, NodeId nodeId, PluginId pluginId) {
        return conflictingInstance(state, nodeId, pluginId).isPresent();
    }

    /**
     * Returns an instance of another driver on a node that may serve the plugin's node service: a healthy one, because
     * the node chooses between its healthy instances by age and not by name; or the preferred one of those that are not
     * healthy. Empty if there is none.
     */
    private static Optional<PluginInstance> conflictingInstance(StateReader state, NodeId nodeId, PluginId pluginId) {
        Optional<PluginFacts> facts = state.facts(pluginId);
        if (facts.isEmpty()) {
            return Optional.empty();
        }
        for (PluginInstance instance : state.instancesOn(nodeId, pluginId)) {
            if (instance.healthy()
                    && instance.key().type().servesNode()
                    && facts.get().conflictsWith(instance)) {
                return Optional.of(instance);
            }
        }
        return nodeInstance(state, nodeId, pluginId).filter(facts.get()::conflictsWith);
    }

    /**
     * Returns whether a call of the plugin's controller can be made: a healthy and trusted controller instance runs on a
     * READY node, has no other provider name, and is not known to lack a capability that the call needs.
     */
    public static boolean healthyController(StateReader state, ControllerTrust trust, PluginId pluginId, Rpc rpc) {
        return anyController(state, trust, pluginId, instance -> !CapabilityTable.lacks(rpc, instance.capabilities()));
    }

    /**
     * Returns whether a controller instance to which calls can go has reported all capabilities that a call needs. The
     * plugin's last known facts may lack them, because another instance reported later.
     */
    public static boolean offeringController(StateReader state, ControllerTrust trust, PluginId pluginId, Rpc rpc) {
        return anyController(state, trust, pluginId, instance -> CapabilityTable.offers(rpc, instance.capabilities()));
    }

    private static boolean anyController(
            StateReader state, ControllerTrust trust, PluginId pluginId, Predicate<PluginInstance> test) {
        Optional<PluginFacts> facts = state.facts(pluginId);
        return anyController(state, trust, facts, state.instancesOf(pluginId, PluginType.CONTROLLER), test)
                || anyController(state, trust, facts, state.instancesOf(pluginId, PluginType.MONOLITH), test);
    }

    private static boolean anyController(
            StateReader state,
            ControllerTrust trust,
            Optional<PluginFacts> facts,
            Iterable<PluginInstance> instances,
            Predicate<PluginInstance> test) {
        for (PluginInstance instance : instances) {
            if (test.test(instance) && controllerProblem(state, trust, facts, instance) == null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the reason why no controller call can go to an instance, as the end of a sentence about the instance; null
     * if calls can go there.
     *
     * @param facts the last known facts of the instance's plugin
     */
    public static @Nullable String controllerProblem(
            StateReader state, ControllerTrust trust, Optional<PluginFacts> facts, PluginInstance instance) {
        if (!trust.trusts(state, instance.key())) {
            return " is not declared as a controller: declare its deployment, or trust its node, if the host has put it"
                    + " there";
        }
        if (!instance.healthy()) {
            return " is not healthy";
        }
        if (facts.isPresent() && facts.get().conflictsWith(instance)) {
            return " is driver " + instance.provider().orElse("") + ", and the plugin's volumes belong to driver "
                    + facts.get().provider().orElse("");
        }
        Optional<Node> node = state.node(instance.key().nodeId());
        if (node.isEmpty()) {
            return ": the node is not known";
        }
        NodeStatus status = node.get().status();
        return status == NodeStatus.READY ? null : ": the node is " + status;
    }

    /**
     * Counts the other volumes of a plugin on a node. Volumes that are made for a claim there keep a slot, but not against each
     * other: the first one that is claimed gets it, also if the limit is lower than it was.
     */
    private static long countOtherVolumes(StateReader state, Volume volume, NodeId nodeId, PluginId pluginId) {
        boolean made = Admission.isMadeFor(volume, nodeId);
        // A volume of a former machine takes no slot of the present one.
        Optional<Node> replaced = state.node(nodeId)
                .filter(node -> node.machine(pluginId)
                        .filter(machine -> !machine.former().isEmpty())
                        .isPresent());
        long others = 0;
        for (VolumeKey there : state.volumesOn(nodeId, pluginId)) {
            boolean counts = !there.equals(volume.key())
                    && (replaced.isEmpty()
                            || state.volume(there)
                                    .filter(other -> usesPresentMachine(other, replaced.get()))
                                    .isPresent())
                    && (!made
                            || state.volume(there)
                                    .filter(other -> Admission.isUsedOn(other, nodeId))
                                    .isPresent());
            others += counts ? 1 : 0;
        }
        return others;
    }

    private static boolean usesPresentMachine(Volume volume, Node node) {
        if (Admission.isMadeFor(volume, node.id())) {
            return true;
        }
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

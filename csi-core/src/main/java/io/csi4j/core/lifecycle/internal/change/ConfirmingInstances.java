package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the instances of a plugin that can confirm a registration now, and says why there is none. */
final class ConfirmingInstances {
    /** The number of instances that a refusal lists. */
    private static final int LISTED = 5;

    private final StateReader state;
    private final ControllerTrust trust;
    private final PluginId plugin;
    private final Optional<PluginFacts> facts;

    ConfirmingInstances(StateReader state, ControllerTrust trust, PluginId plugin) {
        this.state = state;
        this.trust = trust;
        this.plugin = plugin;
        this.facts = state.facts(plugin);
    }

    /** Returns whether a controller can be asked for a volume (R69). */
    boolean controller() {
        return Placement.healthyController(state, trust, plugin, Rpc.VALIDATE_VOLUME_CAPABILITIES);
    }

    /** Returns the nodes on which an instance can be asked. */
    List<NodeId> nodes() {
        TreeSet<NodeId> nodes = new TreeSet<>();
        for (PluginInstance instance : state.instancesOf(plugin)) {
            if (instance.key().type().servesNode() && nodeProblem(instance) == null) {
                nodes.add(instance.key().nodeId());
            }
        }
        return List.copyOf(nodes);
    }

    /** Returns the reason why an instance cannot be asked, as the end of a sentence; null if it can. */
    private @Nullable String nodeProblem(PluginInstance instance) {
        NodeId nodeId = instance.key().nodeId();
        if (!instance.healthy()) {
            return " is not healthy";
        }
        if (Placement.providerConflict(state, nodeId, plugin)) {
            return ": another driver than that of the plugin's volumes may answer there";
        }
        Optional<NodeStatus> status = state.node(nodeId).map(Node::status);
        return status.filter(NodeStatus.READY::equals).isPresent()
                ? null
                : ": the node is " + status.map(NodeStatus::toString).orElse("not known");
    }

    /**
     * Returns the refusal of a registration that no instance can confirm.
     *
     * @param controller whether a controller has to confirm it
     */
    CsiRequestException refusal(Volume volume, boolean controller) {
        List<String> reasons = new ArrayList<>();
        for (PluginInstance instance : state.instancesOf(plugin)) {
            if (controller && instance.key().type().servesController()) {
                String problem = Placement.controllerProblem(state, trust, facts, instance);
                reasons.add(reason(instance, problem == null ? " does not offer the call" : problem));
            } else if (!controller && instance.key().type().servesNode()) {
                String problem = nodeProblem(instance);
                reasons.add(reason(instance, problem == null ? " can answer again" : problem));
            }
        }
        for (PluginInstance instance : state.unprovedOf(plugin)) {
            reasons.add(reason(instance, " is registered and has not answered since " + instance.startedAt()));
        }
        int more = reasons.size() - LISTED;
        String cause = reasons.isEmpty()
                ? "it has none"
                : String.join(", ", reasons.subList(0, Math.min(LISTED, reasons.size())))
                        + (more > 0 ? ", and " + more + " more" : "");
        return new CsiRequestException(
                "volume " + volume.key(),
                List.of(new Problem(
                        "pluginId",
                        "is " + plugin + ", and no healthy " + (controller ? "controller" : "instance")
                                + " of it can confirm the volume: " + cause,
                        "start one or make one healthy, wait for it (csi plugin wait, waitForPlugin in Java),"
                                + " and register the volume again")));
    }

    private static String reason(PluginInstance instance, String problem) {
        return instance.key()
                + problem
                + (instance.healthy() || instance.healthDescription().isEmpty()
                        ? ""
                        : " (" + instance.healthDescription() + ")");
    }
}

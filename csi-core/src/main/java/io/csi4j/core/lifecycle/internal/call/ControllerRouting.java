package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.capability.CapabilityTable;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Selects the plugin instance for a controller call.
 *
 * <p>Candidates are the trusted and healthy instances with a controller service on READY nodes that run the plugin's driver and are
 * not known to lack the capability that the call needs (R42), ordered by rendezvous hashing over
 * plugin, routing key and node. So a volume keeps its instance, volumes spread over the instances, and an instance that
 * appears or disappears moves only its own volumes. With {@code CallSettings.controllersByPlace}, only instances on nodes
 * in the topology of the volume are candidates. The hash contains the instance's node and not its allocation, so a
 * restarted instance keeps its volumes. Of several instances on one node, the newest comes first.
 */
public final class ControllerRouting {
    /**
     * The types of instances with a controller service. The search reads only instances of these types, because a
     * plugin may have many instances with a node service only.
     */
    private static final List<PluginType> CONTROLLERS =
            Stream.of(PluginType.values()).filter(PluginType::servesController).toList();

    private ControllerRouting() {}

    /**
     * Returns all candidates for a call, the preferred one first.
     *
     * @throws NoControllerException if there is no candidate; the message says for each instance why it is not a
     *     candidate
     */
    public static List<InstanceKey> candidates(StateReader state, EnginePorts ports, CallSubject subject) {
        return candidates(
                state,
                ports.trust(),
                subject.plugin(),
                subject.rpc(),
                subject.routingKey(),
                EnginePorts.callSettings(state, subject.plugin()).controllersByPlace() ? subject.place() : List.of());
    }

    /**
     * Returns all candidates, the preferred one first.
     *
     * @param place the topologies of which the instance has to be in one; empty if it may be anywhere
     * @throws NoControllerException if there is no candidate; the message says for each instance why it is not a
     *     candidate
     */
    public static List<InstanceKey> candidates(
            StateReader state,
            ControllerTrust trust,
            PluginId plugin,
            Rpc rpc,
            String routingKey,
            List<Topology> place) {
        Optional<PluginFacts> facts = state.facts(plugin);
        long seed = mix(mix(0xcbf29ce484222325L, plugin.value()), routingKey);
        List<Candidate> candidates = new ArrayList<>();
        for (PluginType type : CONTROLLERS) {
            for (PluginInstance instance : state.instancesOf(plugin, type)) {
                if (problem(state, trust, facts, instance, rpc, place) == null) {
                    candidates.add(new Candidate(instance, weight(seed, instance)));
                }
            }
        }
        if (candidates.isEmpty()) {
            throw new NoControllerException(plugin, cause(state, trust, facts, plugin, rpc, place));
        }
        candidates.sort(Candidate.ORDER);
        List<InstanceKey> keys = new ArrayList<>(candidates.size());
        candidates.forEach(candidate -> keys.add(candidate.instance.key()));
        return keys;
    }

    /** Returns the reason why a controller call cannot go to an instance; null if the call can go there. */
    private static @Nullable String problem(
            StateReader state,
            ControllerTrust trust,
            Optional<PluginFacts> facts,
            PluginInstance instance,
            Rpc rpc,
            List<Topology> place) {
        String problem = Placement.controllerProblem(state, trust, facts, instance);
        if (problem != null) {
            return problem;
        }
        if (CapabilityTable.lacks(rpc, instance.capabilities())) {
            return " does not offer " + rpc.csiName();
        }
        return place.isEmpty() || isIn(state, instance, place)
                ? null
                : " does not serve " + place + ", as far as its node is known";
    }

    /** Returns whether the node of an instance is in one of the topologies. */
    private static boolean isIn(StateReader state, PluginInstance instance, List<Topology> place) {
        return instance.nodeInfo()
                .or(() -> Placement.nodeInstance(
                                state, instance.key().nodeId(), instance.key().pluginId())
                        .flatMap(PluginInstance::nodeInfo))
                .flatMap(NodeInfo::accessibleTopology)
                .filter(node -> node.containsAny(place))
                .isPresent();
    }

    private static String cause(
            StateReader state,
            ControllerTrust trust,
            Optional<PluginFacts> facts,
            PluginId plugin,
            Rpc rpc,
            List<Topology> place) {
        List<String> reasons = new ArrayList<>();
        for (PluginType type : CONTROLLERS) {
            for (PluginInstance instance : state.instancesOf(plugin, type)) {
                reasons.add(instance.key()
                        + Optional.ofNullable(problem(state, trust, facts, instance, rpc, place))
                                .orElse(""));
            }
        }
        return reasons.isEmpty() ? "it has no controller instance" : String.join(", ", reasons);
    }

    private static long weight(long seed, PluginInstance instance) {
        long hash = mix(seed, instance.key().nodeId().value());
        // FNV hashes of similar keys are close together. This step spreads them, so that no node is preferred for all
        // keys.
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }

    private static long mix(long seed, String text) {
        long hash = seed;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return (hash ^ 0xffff) * 0x100000001b3L;
    }

    private record Candidate(PluginInstance instance, long weight) {
        static final Comparator<Candidate> ORDER = Comparator.comparingLong(Candidate::weight)
                .thenComparing(candidate -> candidate.instance.key().nodeId())
                .thenComparing(candidate -> candidate.instance.startedAt(), Comparator.reverseOrder())
                .thenComparing(candidate -> candidate.instance.key());
    }
}

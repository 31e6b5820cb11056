package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.StateReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which instance of a plugin takes a controller call (S22, S33).
 *
 * <p>Candidates are the healthy instances that serve the controller, on nodes that are READY. Their order
 * is that of rendezvous hashing over (plugin, routing key, node): one volume keeps to one instance, the
 * volumes spread over the instances, and an instance that comes or goes moves only those volumes that go
 * to it or were with it. The node counts and not the allocation, so that a restart moves nothing; of
 * several instances on one node the newest leads.
 */
final class ControllerRouting {
    private ControllerRouting() {}

    /**
     * All candidates, the preferred one first.
     *
     * @throws NoControllerException if there is none; says why
     */
    static List<InstanceKey> candidates(StateReader state, PluginId plugin, String routingKey) {
        List<Candidate> candidates = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        for (PluginInstance instance : instances(state, plugin)) {
            Optional<NodeStatus> node = state.node(instance.key().nodeId()).map(Node::status);
            if (!instance.healthy()) {
                reasons.add(instance.key() + " is not healthy");
            } else if (!node.equals(Optional.of(NodeStatus.READY))) {
                reasons.add(instance.key() + ": the node is "
                        + node.map(NodeStatus::name).orElse("not known"));
            } else {
                candidates.add(new Candidate(instance, weight(plugin, routingKey, instance)));
            }
        }
        if (candidates.isEmpty()) {
            throw new NoControllerException(
                    plugin, reasons.isEmpty() ? "it has no controller instance" : String.join(", ", reasons));
        }
        candidates.sort(Candidate.ORDER);
        return candidates.stream().map(candidate -> candidate.instance.key()).toList();
    }

    /** By type: the instances that only serve their node may be many. */
    private static List<PluginInstance> instances(StateReader state, PluginId plugin) {
        List<PluginInstance> instances = new ArrayList<>();
        for (PluginType type : PluginType.values()) {
            if (type.servesController()) {
                state.instancesOf(plugin, type).forEach(instances::add);
            }
        }
        return instances;
    }

    private static long weight(PluginId plugin, String routingKey, PluginInstance instance) {
        long hash = 0xcbf29ce484222325L;
        hash = mix(hash, plugin.value());
        hash = mix(hash, routingKey);
        hash = mix(hash, instance.key().nodeId().value());
        // FNV leaves neighbours close together; without this the same node would win for all of them.
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

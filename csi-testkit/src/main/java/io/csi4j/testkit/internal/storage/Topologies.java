package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.TopologyRequirement;
import io.csi4j.testkit.internal.rule.CallRefusal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares the topologies of volumes and requests with the topologies of nodes. */
final class Topologies {
    private Topologies() {}

    /** Returns whether a node with these segments can reach the topology. */
    static boolean reaches(Map<String, String> node, Topology topology) {
        return node.entrySet().containsAll(topology.getSegmentsMap().entrySet());
    }

    /**
     * Returns whether a node with these segments can reach one of the topologies; without topologies, every node can.
     */
    static boolean reaches(Map<String, String> node, List<Topology> places) {
        return places.isEmpty() || places.stream().anyMatch(topology -> reaches(node, topology));
    }

    /**
     * Returns the first topology of the requirement that a known node can reach. The preferred topologies are tried
     * first (R53).
     */
    static Topology choose(TopologyRequirement requirement, Collection<Map<String, String>> known) {
        List<Topology> preferences = new ArrayList<>(requirement.getPreferredList());
        preferences.addAll(requirement.getRequisiteList());
        for (Topology preference : preferences) {
            if (known.stream().anyMatch(node -> reaches(node, preference))) {
                return preference;
            }
        }
        throw CallRefusal.exhausted(
                "no known node is in any of the places of accessibility_requirements; ask for one of " + known
                        + ", or start a node plugin there (R58)");
    }

    /** Returns whether an existing object with these topologies satisfies the requirement of a request. */
    static boolean satisfies(List<Topology> places, @Nullable TopologyRequirement requirement) {
        if (requirement == null || places.isEmpty()) {
            return true;
        }
        List<Topology> preferences =
                requirement.getRequisiteCount() > 0 ? requirement.getRequisiteList() : requirement.getPreferredList();
        return preferences.isEmpty()
                || preferences.stream()
                        .anyMatch(preference -> places.stream()
                                .anyMatch(topology -> reaches(topology.getSegmentsMap(), preference)
                                        || reaches(preference.getSegmentsMap(), topology)));
    }
}

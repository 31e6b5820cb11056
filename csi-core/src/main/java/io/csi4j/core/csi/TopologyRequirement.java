package io.csi4j.core.csi;

import java.util.List;

/**
 * The topologies from which a volume has to be accessible (R53).
 *
 * @param requisite the volume has to be accessible from at least one of these topologies; may be empty if {@code
 *     preferred} has an entry
 * @param preferred the preferred topologies, best first; a subset of {@code requisite} if both are given
 */
public record TopologyRequirement(List<Topology> requisite, List<Topology> preferred) {
    /** Copies both lists, so that later changes of the caller's lists have no effect. */
    public TopologyRequirement {
        requisite = List.copyOf(requisite);
        preferred = List.copyOf(preferred);
    }

    /**
     * Returns a requirement without preferences: the volume has to be accessible from at least one of the topologies.
     */
    public static TopologyRequirement requisite(Topology... requisite) {
        return new TopologyRequirement(List.of(requisite), List.of());
    }
}

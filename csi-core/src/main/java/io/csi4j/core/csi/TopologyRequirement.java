package io.csi4j.core.csi;

import java.util.List;

/**
 * From where a volume has to be accessible (R53).
 *
 * @param requisite accessible from at least one of these; may be empty when {@code preferred} is not
 * @param preferred first choices, in their order; a subset of {@code requisite} when both are given
 */
public record TopologyRequirement(List<Topology> requisite, List<Topology> preferred) {
    /** Copies both lists. */
    public TopologyRequirement {
        requisite = List.copyOf(requisite);
        preferred = List.copyOf(preferred);
    }

    /**
     * Accessible from at least one of the given places.
     *
     * @param requisite the places
     * @return the requirement, without preferences
     */
    public static TopologyRequirement requisite(Topology... requisite) {
        return new TopologyRequirement(List.of(requisite), List.of());
    }
}

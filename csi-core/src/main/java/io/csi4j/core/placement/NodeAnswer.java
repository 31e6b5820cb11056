package io.csi4j.core.placement;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Says whether an allocation could claim its volumes on one node.
 *
 * @param nodeId the node
 * @param missing the requested volumes that are not registered; while there are any, no node is feasible
 * @param refusals the volumes that could not be claimed now, each with the reason; in the order of the keys
 */
public record NodeAnswer(NodeId nodeId, Set<VolumeKey> missing, Map<VolumeKey, AdmissionDecision> refusals) {
    public NodeAnswer {
        Objects.requireNonNull(nodeId, "nodeId");
        SortedSet<VolumeKey> keys = new TreeSet<>(missing);
        missing = Collections.unmodifiableSortedSet(keys);
        SortedMap<VolumeKey, AdmissionDecision> decisions = new TreeMap<>(refusals);
        refusals = Collections.unmodifiableSortedMap(decisions);
    }

    /** Returns whether the allocation could claim all its volumes on the node now. */
    public boolean admitted() {
        return missing.isEmpty() && refusals.isEmpty();
    }

    /** Returns whether waiting cannot help, because a volume is refused permanently for this request and node. */
    public boolean never() {
        return refusals.values().stream().anyMatch(AdmissionDecision.Never.class::isInstance);
    }
}

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
 * Whether an allocation could have all its volumes on a node.
 *
 * @param nodeId the node
 * @param missing the volumes that are not known; while there are any, no node will do
 * @param refusals the volumes it could not have now, each with what is waited for or why never; in key order
 */
public record NodeAnswer(NodeId nodeId, Set<VolumeKey> missing, Map<VolumeKey, AdmissionDecision> refusals) {
    /** Copies the collections. */
    public NodeAnswer {
        Objects.requireNonNull(nodeId, "nodeId");
        SortedSet<VolumeKey> keys = new TreeSet<>(missing);
        missing = Collections.unmodifiableSortedSet(keys);
        SortedMap<VolumeKey, AdmissionDecision> decisions = new TreeMap<>(refusals);
        refusals = Collections.unmodifiableSortedMap(decisions);
    }

    /**
     * Whether it could have all of them now.
     *
     * @return true if it may be placed there
     */
    public boolean admitted() {
        return missing.isEmpty() && refusals.isEmpty();
    }

    /**
     * Whether waiting cannot help: the request, the volume or the node has to be another one.
     *
     * @return true if one of the volumes is refused for good
     */
    public boolean never() {
        return refusals.values().stream().anyMatch(AdmissionDecision.Never.class::isInstance);
    }
}

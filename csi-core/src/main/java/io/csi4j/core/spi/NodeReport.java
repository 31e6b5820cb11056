package io.csi4j.core.spi;

import java.util.List;

/**
 * A report of a node's agent: what the node has of volumes, and the work on it that is not finished. Contains no paths
 * and nothing confidential.
 *
 * @param volumes the volumes that are mounted or staged on the node, or are being mounted or unmounted, in the order of
 *     their keys
 */
public record NodeReport(List<NodeVolume> volumes) {
    /** Copies the list of volumes. */
    public NodeReport {
        volumes = List.copyOf(volumes);
    }

    /** Returns the volumes whose work is not finished: those that are being mounted or unmounted. */
    public List<NodeVolume> unfinished() {
        return volumes.stream().filter(NodeVolume::isUnfinished).toList();
    }
}

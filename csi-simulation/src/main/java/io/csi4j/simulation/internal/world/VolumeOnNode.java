package io.csi4j.simulation.internal.world;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;

public record VolumeOnNode(VolumeKey volume, NodeId nodeId) implements Comparable<VolumeOnNode> {
    @Override
    public int compareTo(VolumeOnNode other) {
        int order = volume.compareTo(other.volume);
        return order != 0 ? order : nodeId.compareTo(other.nodeId);
    }
}

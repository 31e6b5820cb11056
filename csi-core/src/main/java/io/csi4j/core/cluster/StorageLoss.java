package io.csi4j.core.cluster;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The fact that the storage of a node has gone with the node, for example its local disks.
 *
 * @param nodeId the node; it has to be FENCED, GONE or unknown
 * @param pluginId the plugin whose volumes were there
 * @param place the topology that the plugin had reported for the node (NodeGetInfo), with at least one segment
 * @param named the volumes that end although they would outlive their workload. In their order, unmodifiable
 */
public record StorageLoss(NodeId nodeId, PluginId pluginId, Topology place, SortedSet<VolumeKey> named) {
    /** @throws IllegalArgumentException if the topology has no segment */
    public StorageLoss {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(pluginId, "pluginId");
        if (place.segments().isEmpty()) {
            throw new IllegalArgumentException("StorageLoss: place has no segment; give the topology of the node");
        }
        named = Collections.unmodifiableSortedSet(new TreeSet<>(named));
    }

    /** Returns the loss of storage on which only volumes end that nothing retains. */
    public static StorageLoss of(NodeId nodeId, PluginId pluginId, Topology place) {
        return new StorageLoss(nodeId, pluginId, place, Collections.emptySortedSet());
    }

    /** Returns this loss with volumes that end although they would outlive their workload. */
    public StorageLoss naming(Collection<VolumeKey> volumes) {
        return new StorageLoss(nodeId, pluginId, place, new TreeSet<>(volumes));
    }
}

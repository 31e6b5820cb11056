package io.csi4j.core.plugin;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import java.util.Objects;
import java.util.Optional;

/**
 * The identity of one plugin instance.
 *
 * @param nodeId the node where the instance runs
 * @param pluginId the plugin
 * @param type the services that the instance serves
 * @param allocationId the allocation that runs the instance; empty if the host does not place the instance
 */
public record InstanceKey(NodeId nodeId, PluginId pluginId, PluginType type, Optional<AllocationId> allocationId)
        implements Comparable<InstanceKey> {
    public InstanceKey {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(allocationId, "allocationId");
    }

    /** Orders by node, plugin, type and allocation; an instance without an allocation comes first. */
    @Override
    public int compareTo(InstanceKey other) {
        int order = nodeId.compareTo(other.nodeId);
        if (order == 0) {
            order = pluginId.compareTo(other.pluginId);
        }
        if (order == 0) {
            order = type.compareTo(other.type);
        }
        return order == 0 ? compareAllocations(other) : order;
    }

    private int compareAllocations(InstanceKey other) {
        if (allocationId.isEmpty() || other.allocationId.isEmpty()) {
            return Boolean.compare(allocationId.isPresent(), other.allocationId.isPresent());
        }
        return allocationId.get().compareTo(other.allocationId.get());
    }

    @Override
    public String toString() {
        return pluginId + " (" + type + ") on node " + nodeId
                + allocationId.map(id -> " in allocation " + id).orElse("");
    }
}

package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * All instances of a node at one time. Immutable.
 *
 * @param nodeId the node
 * @param version increases with each change
 * @param instances the instances, newest first
 * @param complete false while instances may be missing because the stored list could not be read; see {@link
 *     PluginRegistry#confirmComplete}
 */
public record RegistrySnapshot(NodeId nodeId, long version, List<RegisteredPlugin> instances, boolean complete) {
    /** Copies the list of instances. */
    public RegistrySnapshot {
        Objects.requireNonNull(nodeId, "nodeId");
        instances = List.copyOf(instances);
    }

    /**
     * Returns the leader: the newest instance that can serve a role now.
     *
     * @return the leader; empty if no instance can serve the role now
     */
    public Optional<RegisteredPlugin> leader(PluginRole role, PluginId pluginId) {
        return instances.stream()
                .filter(each -> each.registration().key().pluginId().equals(pluginId))
                .filter(each -> each.snapshot().serves(role))
                .findFirst();
    }

    /** Returns the leader of each plugin that can serve a role now, newest first. */
    public Map<PluginId, RegisteredPlugin> leaders(PluginRole role) {
        Map<PluginId, RegisteredPlugin> leaders = new LinkedHashMap<>();
        for (RegisteredPlugin each : instances) {
            if (each.snapshot().serves(role)) {
                leaders.putIfAbsent(each.registration().key().pluginId(), each);
            }
        }
        return leaders;
    }

    /** Returns the instances of a plugin for a role, ready or not, newest first. */
    public List<RegisteredPlugin> instances(PluginRole role, PluginId pluginId) {
        return instances.stream()
                .filter(each -> each.registration().key().pluginId().equals(pluginId))
                .filter(each -> role.servedBy(each.registration().key().type()))
                .toList();
    }

    /** Returns the instance of a plugin that runs in an allocation; empty if there is none. */
    public Optional<RegisteredPlugin> ofAllocation(PluginRole role, PluginId pluginId, AllocationId allocationId) {
        return instances(role, pluginId).stream()
                .filter(each -> each.registration().key().allocationId().equals(Optional.of(allocationId)))
                .findFirst();
    }

    /** Returns an instance by its key; empty if it is not registered. */
    public Optional<RegisteredPlugin> instance(InstanceKey key) {
        return instances.stream()
                .filter(each -> each.registration().key().equals(key))
                .findFirst();
    }
}

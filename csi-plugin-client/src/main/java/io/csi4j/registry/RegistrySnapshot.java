package io.csi4j.registry;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.registry.instance.PluginRole;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * All instances of a node at one moment. Immutable.
 *
 * @param nodeId the node
 * @param version grows with each change
 * @param instances the newest first
 * @param complete false while instances may be missing because what was stored could not be read; see
 *     {@link PluginRegistry#confirmComplete}
 */
public record RegistrySnapshot(NodeId nodeId, long version, List<RegisteredPlugin> instances, boolean complete) {
    /** Copies the list. */
    public RegistrySnapshot {
        Objects.requireNonNull(nodeId, "nodeId");
        instances = List.copyOf(instances);
    }

    /**
     * The instance to call: the newest that can serve the role now. One that is not ready stands back behind an
     * older one that is.
     *
     * @param role the role
     * @param pluginId the plugin
     * @return empty: none can serve it now
     */
    public Optional<RegisteredPlugin> leader(PluginRole role, PluginId pluginId) {
        return instances.stream()
                .filter(each -> each.registration().key().pluginId().equals(pluginId))
                .filter(each -> each.snapshot().serves(role))
                .findFirst();
    }

    /**
     * The leaders of all plugins that can serve a role now.
     *
     * @param role the role
     * @return by plugin, that of the newest leader first
     */
    public Map<PluginId, RegisteredPlugin> leaders(PluginRole role) {
        Map<PluginId, RegisteredPlugin> leaders = new LinkedHashMap<>();
        for (RegisteredPlugin each : instances) {
            if (each.snapshot().serves(role)) {
                leaders.putIfAbsent(each.registration().key().pluginId(), each);
            }
        }
        return leaders;
    }

    /**
     * The instances of a plugin that are meant to serve a role, ready or not.
     *
     * @param role the role
     * @param pluginId the plugin
     * @return the newest first
     */
    public List<RegisteredPlugin> instances(PluginRole role, PluginId pluginId) {
        return instances.stream()
                .filter(each -> each.registration().key().pluginId().equals(pluginId))
                .filter(each -> role.servedBy(each.registration().key().type()))
                .toList();
    }

    /**
     * The instance of a plugin that an allocation runs.
     *
     * @param role the role it is meant to serve
     * @param pluginId the plugin
     * @param allocationId the allocation
     * @return empty: there is none
     */
    public Optional<RegisteredPlugin> ofAllocation(PluginRole role, PluginId pluginId, AllocationId allocationId) {
        return instances(role, pluginId).stream()
                .filter(each -> each.registration().key().allocationId().equals(Optional.of(allocationId)))
                .findFirst();
    }

    /**
     * One instance.
     *
     * @param key which
     * @return empty: it is not registered
     */
    public Optional<RegisteredPlugin> instance(InstanceKey key) {
        return instances.stream()
                .filter(each -> each.registration().key().equals(key))
                .findFirst();
    }
}

package io.csi4j.core.state;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;

/**
 * A part of the state that can be watched: a table, one key, or all keys that begin alike.
 *
 * @param table which table or index
 * @param text the parts of the key, joined by the character 0; the last may be cut short if this is a prefix
 * @param prefix whether every key that begins with the text is meant, and not only the one that is the text
 */
public record StateScope(Table table, String text, boolean prefix) {
    public StateScope {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(text, "text");
    }

    /** What scopes are taken from. */
    public enum Table {
        /** Volumes by namespace and id; any change of the row counts. */
        VOLUMES,
        /** Volumes by plugin; any change of a row counts. */
        VOLUMES_BY_PLUGIN,
        /** Claims and attachments by node. */
        VOLUMES_BY_NODE,
        /** Claims by allocation. */
        VOLUMES_BY_ALLOCATION,
        /** Volumes that are, or were, unsettled, by namespace and id. */
        UNSETTLED_VOLUMES,
        /** Nodes by id. */
        NODES,
        /** Allocations by id. */
        ALLOCATIONS,
        /** Allocations by node. */
        ALLOCATIONS_BY_NODE,
        /** Plugin instances, deployments and facts by plugin. */
        PLUGINS,
        /** Plugin instances by node. */
        INSTANCES_BY_NODE
    }

    /**
     * A whole table.
     *
     * @param table the table
     * @return the scope
     */
    public static StateScope of(Table table) {
        return new StateScope(table, "", true);
    }

    /**
     * One volume.
     *
     * @param key its key, whether it is there or not
     * @return the scope
     */
    public static StateScope volume(VolumeKey key) {
        return new StateScope(
                Table.VOLUMES, key.namespace().value() + '\0' + key.volumeId().value(), false);
    }

    /**
     * The volumes of a namespace.
     *
     * @param idPrefix how their ids begin; empty: all of them
     * @return the scope
     */
    public static StateScope volumes(Namespace namespace, String idPrefix) {
        return new StateScope(Table.VOLUMES, namespace.value() + '\0' + idPrefix, true);
    }

    /**
     * The volumes of a plugin.
     *
     * @return the scope
     */
    public static StateScope volumesOf(PluginId pluginId) {
        return new StateScope(Table.VOLUMES_BY_PLUGIN, pluginId.value(), false);
    }

    /**
     * The claims and attachments on a node.
     *
     * @return the scope
     */
    public static StateScope volumesOn(NodeId nodeId) {
        return new StateScope(Table.VOLUMES_BY_NODE, nodeId.value(), false);
    }

    /**
     * The claims of an allocation.
     *
     * @return the scope
     */
    public static StateScope volumesClaimedBy(AllocationId allocationId) {
        return new StateScope(Table.VOLUMES_BY_ALLOCATION, allocationId.value(), false);
    }

    /**
     * The volumes for which something remains to be done.
     *
     * @return the scope
     */
    public static StateScope unsettledVolumes() {
        return of(Table.UNSETTLED_VOLUMES);
    }

    /**
     * One node.
     *
     * @return the scope
     */
    public static StateScope node(NodeId nodeId) {
        return new StateScope(Table.NODES, nodeId.value(), false);
    }

    /**
     * One allocation.
     *
     * @return the scope
     */
    public static StateScope allocation(AllocationId allocationId) {
        return new StateScope(Table.ALLOCATIONS, allocationId.value(), false);
    }

    /**
     * The allocations on a node.
     *
     * @return the scope
     */
    public static StateScope allocationsOn(NodeId nodeId) {
        return new StateScope(Table.ALLOCATIONS_BY_NODE, nodeId.value(), false);
    }

    /**
     * The instances, deployments and facts of a plugin: its health and all that a plugin view shows.
     *
     * @return the scope
     */
    public static StateScope plugin(PluginId pluginId) {
        return new StateScope(Table.PLUGINS, pluginId.value(), false);
    }

    /**
     * The plugin instances on a node.
     *
     * @return the scope
     */
    public static StateScope instancesOn(NodeId nodeId) {
        return new StateScope(Table.INSTANCES_BY_NODE, nodeId.value(), false);
    }

    @Override
    public String toString() {
        return table + (text.isEmpty() && prefix ? "" : " " + text.replace('\0', '/') + (prefix ? "*" : ""));
    }
}

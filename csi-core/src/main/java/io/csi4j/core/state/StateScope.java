package io.csi4j.core.state;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;

/**
 * A part of the state that can be watched: a table, one key, or all keys with a prefix.
 *
 * @param table the table or index
 * @param text the parts of the key, joined by the NUL character (U+0000); for a prefix, the last part may be incomplete
 * @param prefix whether the scope contains all keys that begin with the text, and not only the key that equals it
 */
public record StateScope(Table table, String text, boolean prefix) {
    public StateScope {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(text, "text");
    }

    /** The tables and indexes that can be watched. */
    public enum Table {
        /** The volumes by namespace and id. A watch of this table reports every change of a volume's row. */
        VOLUMES,
        /** The index of volumes by plugin. A watch of this index reports every change of a volume's row. */
        VOLUMES_BY_PLUGIN,
        /** The index of claims and attachments by node. */
        VOLUMES_BY_NODE,
        /** The index of claims by allocation. */
        VOLUMES_BY_ALLOCATION,
        /**
         * The index of volumes with remaining work, by namespace and id. A watch of this index reports a changed volume
         * if it had remaining work before the change or has some after it.
         */
        UNSETTLED_VOLUMES,
        /** The nodes by id. */
        NODES,
        /** The allocations by id. */
        ALLOCATIONS,
        /** The index of allocations by node. */
        ALLOCATIONS_BY_NODE,
        /** The plugin instances, deployments with the allocations that run for them, facts and profiles of plugins, by plugin. */
        PLUGINS,
        /** The index of plugin instances by node. */
        INSTANCES_BY_NODE,
        /** The stored requests for claims, by allocation. */
        REQUESTED_CLAIMS,
        /** The access tokens by id. */
        ACCESS_TOKENS,
        /** The volume classes by name. */
        VOLUME_CLASSES,
        /** The snapshots by namespace and name. */
        SNAPSHOTS,
        /** The quotas by namespace and class. A watch of this table reports changed limits, and no changed use. */
        QUOTAS
    }

    /** Returns the scope of a whole table. */
    public static StateScope of(Table table) {
        return new StateScope(table, "", true);
    }

    /** Returns the scope of one volume, whether or not it exists. */
    public static StateScope volume(VolumeKey key) {
        return new StateScope(
                Table.VOLUMES, key.namespace().value() + '\0' + key.volumeId().value(), false);
    }

    /** Returns the scope of the volumes of a namespace whose ids begin with a prefix; an empty prefix matches all. */
    public static StateScope volumes(Namespace namespace, String idPrefix) {
        return new StateScope(Table.VOLUMES, namespace.value() + '\0' + idPrefix, true);
    }

    /** Returns the scope of the volumes of a plugin. */
    public static StateScope volumesOf(PluginId pluginId) {
        return new StateScope(Table.VOLUMES_BY_PLUGIN, pluginId.value(), false);
    }

    /** Returns the scope of the claims and attachments on a node. */
    public static StateScope volumesOn(NodeId nodeId) {
        return new StateScope(Table.VOLUMES_BY_NODE, nodeId.value(), false);
    }

    /** Returns the scope of the claims of an allocation. */
    public static StateScope volumesClaimedBy(AllocationId allocationId) {
        return new StateScope(Table.VOLUMES_BY_ALLOCATION, allocationId.value(), false);
    }

    /** Returns the scope of one snapshot, whether or not it exists. */
    public static StateScope snapshot(SnapshotKey key) {
        return new StateScope(
                Table.SNAPSHOTS, key.namespace().value() + '\0' + key.name().value(), false);
    }

    /** Returns the scope of the volumes with remaining work. */
    public static StateScope unsettledVolumes() {
        return of(Table.UNSETTLED_VOLUMES);
    }

    /** Returns the scope of one node. */
    public static StateScope node(NodeId nodeId) {
        return new StateScope(Table.NODES, nodeId.value(), false);
    }

    /** Returns the scope of one allocation. */
    public static StateScope allocation(AllocationId allocationId) {
        return new StateScope(Table.ALLOCATIONS, allocationId.value(), false);
    }

    /** Returns the scope of the allocations on a node. */
    public static StateScope allocationsOn(NodeId nodeId) {
        return new StateScope(Table.ALLOCATIONS_BY_NODE, nodeId.value(), false);
    }

    /**
     * Returns the scope of all data of a {@link io.csi4j.core.plugin.PluginView}: the instances, deployments and facts
     * of a plugin.
     */
    public static StateScope plugin(PluginId pluginId) {
        return new StateScope(Table.PLUGINS, pluginId.value(), false);
    }

    /** Returns the scope of the plugin instances on a node. */
    public static StateScope instancesOn(NodeId nodeId) {
        return new StateScope(Table.INSTANCES_BY_NODE, nodeId.value(), false);
    }

    /** Returns the scope of the stored requests of an allocation for claims. */
    public static StateScope requestedClaimsOf(AllocationId allocationId) {
        return new StateScope(Table.REQUESTED_CLAIMS, allocationId.value(), false);
    }

    @Override
    public String toString() {
        return table + (text.isEmpty() && prefix ? "" : " " + text.replace('\0', '/') + (prefix ? "*" : ""));
    }
}

package io.csi4j.state;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.internal.tree.Bound;
import io.csi4j.state.internal.tree.Cursor;
import io.csi4j.state.internal.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists one page of volumes. Reads the index of the node if the query has a node, or else the index of the plugin, or else the whole table.
 * The namespace, the prefix and the start of the page limit the range that is read.
 */
final class VolumeListing {
    private final Tables tables;
    private final VolumeQuery query;
    private final List<Volume> items = new ArrayList<>();
    private final int limit;

    VolumeListing(Tables tables, VolumeQuery query) {
        this.tables = tables;
        this.query = query;
        this.limit = query.limit();
    }

    ListPage<Volume, VolumeKey> page() {
        NodeId nodeId = query.nodeId().orElse(null);
        PluginId pluginId = query.pluginId().orElse(null);
        boolean more;
        if (nodeId != null) {
            more = onNode(nodeId, pluginId);
        } else if (pluginId != null) {
            Tree<VolumeKey, VolumeKey> members = Group.members(tables.volumesOfPlugin, pluginId);
            more = members != null && perNamespace(members, this::byKeys);
        } else {
            more = perNamespace(tables.volumes, this::rows);
        }
        return new ListPage<>(
                items, more ? Optional.of(items.get(items.size() - 1).key()) : Optional.empty());
    }

    /**
     * Lists the volumes of a node in the order of their keys. The keys of several plugins have to be merged, because
     * the index is ordered only within each plugin.
     */
    private boolean onNode(NodeId nodeId, @Nullable PluginId pluginId) {
        List<VolumeKey> keys = keysOn(nodeId, pluginId);
        VolumeKey after = query.after().orElse(null);
        for (VolumeKey key : keys) {
            Volume volume = after != null && key.compareTo(after) <= 0 ? null : tables.volumes.get(key);
            if (volume != null && query.matches(volume)) {
                if (items.size() == limit) {
                    return true;
                }
                items.add(volume);
            }
        }
        return false;
    }

    private List<VolumeKey> keysOn(NodeId nodeId, @Nullable PluginId pluginId) {
        if (pluginId == null) {
            return NodeUses.of(tables.uses, nodeId);
        }
        Tree<VolumeKey, VolumeKey> members = NodeUses.of(tables.uses, nodeId, pluginId);
        List<VolumeKey> keys = new ArrayList<>();
        if (members != null) {
            Cursor<VolumeKey, VolumeKey> cursor = members.cursor();
            while (cursor.hasNext()) {
                keys.add(cursor.next());
            }
        }
        return keys;
    }

    /** Reads the requested range of the tree. If the query has a prefix of ids but no namespace, reads one range in each namespace. */
    private <R> boolean perNamespace(Tree<VolumeKey, R> tree, Range<R> range) {
        VolumeKey after = query.after().orElse(null);
        Bound from = after == null ? Bound.at("") : Bound.after(Keys.VOLUME_KEYS.text(after));
        Namespace only = query.namespace().orElse(null);
        if (only != null) {
            return range.walk(tree, from, only.value() + '\0' + query.idPrefix());
        }
        if (query.idPrefix().isEmpty()) {
            return range.walk(tree, from, "");
        }
        Bound next = from;
        while (true) {
            Cursor<VolumeKey, R> cursor = tree.cursor(next, Bound.past(""));
            if (!cursor.hasNext()) {
                return false;
            }
            R row = cursor.next();
            VolumeKey key = row instanceof Volume volume ? volume.key() : (VolumeKey) row;
            String namespace = key.namespace().value() + '\0';
            if (range.walk(tree, next, namespace + query.idPrefix())) {
                return true;
            }
            next = Bound.past(namespace);
        }
    }

    private boolean rows(Tree<VolumeKey, Volume> tree, Bound from, String prefix) {
        Cursor<VolumeKey, Volume> cursor = tree.cursor(later(from, Bound.at(prefix)), Bound.past(prefix));
        while (cursor.hasNext()) {
            if (!add(cursor.next())) {
                return true;
            }
        }
        return false;
    }

    /** Adds a volume of the range if the query finds it; returns false if the page is full. */
    private boolean add(Volume volume) {
        if (!query.matches(volume)) {
            return true;
        }
        if (items.size() == limit) {
            return false;
        }
        items.add(volume);
        return true;
    }

    private boolean byKeys(Tree<VolumeKey, VolumeKey> tree, Bound from, String prefix) {
        Cursor<VolumeKey, VolumeKey> keys = tree.cursor(later(from, Bound.at(prefix)), Bound.past(prefix));
        Cursor<VolumeKey, Volume> rows = tables.volumes.cursor();
        while (keys.hasNext()) {
            Volume volume = rows.seekNext(keys);
            if (volume != null && !add(volume)) {
                return true;
            }
        }
        return false;
    }

    private static Bound later(Bound a, Bound b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private interface Range<R> {
        /** Adds the rows that follow the bound and have the prefix; returns true if the page is full and more rows follow. */
        boolean walk(Tree<VolumeKey, R> tree, Bound from, String prefix);
    }
}

package io.csi4j.state;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.state.internal.hash.HashTrie;
import io.csi4j.state.internal.tree.Cursor;
import io.csi4j.state.internal.tree.Tree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The volumes that have a claim or an attachment on one node, grouped by plugin. */
final class NodeUses {
    private final NodeId nodeId;
    private final PluginId[] plugins;
    private final Object[] volumes;

    private NodeUses(NodeId nodeId, PluginId[] plugins, Object[] volumes) {
        this.nodeId = nodeId;
        this.plugins = plugins;
        this.volumes = volumes;
    }

    NodeId nodeId() {
        return nodeId;
    }

    static HashTrie<NodeId, NodeUses> add(
            HashTrie<NodeId, NodeUses> uses, long edit, NodeId nodeId, PluginId pluginId, VolumeKey key) {
        NodeUses there = uses.get(nodeId);
        return uses.put(
                edit,
                there == null
                        ? new NodeUses(
                                nodeId, new PluginId[] {pluginId}, new Object[] {Keys.NO_VOLUME_KEYS.put(edit, key)})
                        : there.with(edit, pluginId, key));
    }

    static HashTrie<NodeId, NodeUses> remove(
            HashTrie<NodeId, NodeUses> uses, long edit, NodeId nodeId, PluginId pluginId, VolumeKey key) {
        NodeUses there = uses.get(nodeId);
        int at = there == null ? -1 : there.indexOf(pluginId);
        if (there == null || at < 0) {
            return uses;
        }
        Tree<VolumeKey, VolumeKey> rest = there.members(at).remove(edit, key);
        if (!rest.isEmpty()) {
            return uses.put(edit, there.replacing(at, rest));
        }
        return there.plugins.length == 1 ? uses.remove(edit, nodeId) : uses.put(edit, there.without(at));
    }

    static @Nullable Tree<VolumeKey, VolumeKey> of(HashTrie<NodeId, NodeUses> uses, NodeId nodeId, PluginId pluginId) {
        NodeUses there = uses.get(nodeId);
        int at = there == null ? -1 : there.indexOf(pluginId);
        return there == null || at < 0 ? null : there.members(at);
    }

    /** Returns the volumes of a node, each once, in the order of their keys. */
    static List<VolumeKey> of(HashTrie<NodeId, NodeUses> uses, NodeId nodeId) {
        NodeUses there = uses.get(nodeId);
        if (there == null) {
            return List.of();
        }
        List<VolumeKey> keys = new ArrayList<>();
        for (int at = 0; at < there.plugins.length; at++) {
            Cursor<VolumeKey, VolumeKey> members = there.members(at).cursor();
            while (members.hasNext()) {
                keys.add(members.next());
            }
        }
        keys.sort(null);
        return Collections.unmodifiableList(keys);
    }

    private int indexOf(PluginId pluginId) {
        for (int at = 0; at < plugins.length; at++) {
            if (plugins[at].equals(pluginId)) {
                return at;
            }
        }
        return -1;
    }

    @SuppressWarnings("unchecked")
    private Tree<VolumeKey, VolumeKey> members(int at) {
        return (Tree<VolumeKey, VolumeKey>) volumes[at];
    }

    private NodeUses with(long edit, PluginId pluginId, VolumeKey key) {
        int at = indexOf(pluginId);
        if (at >= 0) {
            return replacing(at, members(at).put(edit, key));
        }
        PluginId[] morePlugins = Arrays.copyOf(plugins, plugins.length + 1);
        morePlugins[plugins.length] = pluginId;
        Object[] moreVolumes = Arrays.copyOf(volumes, volumes.length + 1);
        moreVolumes[volumes.length] = Keys.NO_VOLUME_KEYS.put(edit, key);
        return new NodeUses(nodeId, morePlugins, moreVolumes);
    }

    private NodeUses replacing(int at, Tree<VolumeKey, VolumeKey> members) {
        Object[] changed = volumes.clone();
        changed[at] = members;
        return new NodeUses(nodeId, plugins, changed);
    }

    private NodeUses without(int at) {
        int last = plugins.length - 1;
        PluginId[] fewerPlugins = Arrays.copyOf(plugins, last);
        Object[] fewerVolumes = Arrays.copyOf(volumes, last);
        if (at < last) {
            fewerPlugins[at] = plugins[last];
            fewerVolumes[at] = volumes[last];
        }
        return new NodeUses(nodeId, fewerPlugins, fewerVolumes);
    }
}

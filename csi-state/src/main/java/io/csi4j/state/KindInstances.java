package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.state.internal.hash.HashTrie;
import io.csi4j.state.internal.tree.Tree;
import org.jspecify.annotations.Nullable;

/**
 * The instances of one plugin that have the same plugin type, proved or not, in the order of their keys. Contains the whole rows
 * instead of their keys, because the instances are read far more often than they are written.
 */
record KindInstances(Kind kind, Tree<InstanceKey, PluginInstance> instances) {
    private static final Tree<InstanceKey, PluginInstance> NONE = Tree.empty(Keys.INSTANCES);

    record Kind(PluginId pluginId, PluginType type, boolean proved) {
        static Kind of(PluginInstance instance) {
            return new Kind(instance.key().pluginId(), instance.key().type(), instance.proved());
        }
    }

    static HashTrie<Kind, KindInstances> put(HashTrie<Kind, KindInstances> all, long edit, PluginInstance instance) {
        Kind kind = Kind.of(instance);
        KindInstances there = all.get(kind);
        return all.put(edit, new KindInstances(kind, (there == null ? NONE : there.instances).put(edit, instance)));
    }

    static HashTrie<Kind, KindInstances> remove(HashTrie<Kind, KindInstances> all, long edit, PluginInstance instance) {
        Kind kind = Kind.of(instance);
        KindInstances there = all.get(kind);
        if (there == null) {
            return all;
        }
        Tree<InstanceKey, PluginInstance> rest = there.instances.remove(edit, instance.key());
        return rest.isEmpty() ? all.remove(edit, kind) : all.put(edit, new KindInstances(kind, rest));
    }

    static @Nullable Tree<InstanceKey, PluginInstance> of(HashTrie<Kind, KindInstances> all, Kind kind) {
        KindInstances there = all.get(kind);
        return there == null ? null : there.instances;
    }
}

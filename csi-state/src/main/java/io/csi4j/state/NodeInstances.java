package io.csi4j.state;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.state.internal.hash.HashTrie;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The proved instances of one plugin on one node, in the order of their keys; usually one or two instances. */
record NodeInstances(Location location, List<PluginInstance> instances) {
    record Location(NodeId nodeId, PluginId pluginId) {
        static Location of(InstanceKey key) {
            return new Location(key.nodeId(), key.pluginId());
        }
    }

    static HashTrie<Location, NodeInstances> put(
            HashTrie<Location, NodeInstances> all, long edit, PluginInstance instance) {
        Location location = Location.of(instance.key());
        List<PluginInstance> there = others(all, location, instance.key());
        there.add(instance);
        there.sort(Comparator.comparing(PluginInstance::key));
        return all.put(edit, new NodeInstances(location, Collections.unmodifiableList(there)));
    }

    static HashTrie<Location, NodeInstances> remove(HashTrie<Location, NodeInstances> all, long edit, InstanceKey key) {
        Location location = Location.of(key);
        List<PluginInstance> rest = others(all, location, key);
        return rest.isEmpty()
                ? all.remove(edit, location)
                : all.put(edit, new NodeInstances(location, Collections.unmodifiableList(rest)));
    }

    static List<PluginInstance> of(HashTrie<Location, NodeInstances> all, NodeId nodeId, PluginId pluginId) {
        NodeInstances there = all.get(new Location(nodeId, pluginId));
        return there == null ? List.of() : there.instances;
    }

    private static List<PluginInstance> others(
            HashTrie<Location, NodeInstances> all, Location location, InstanceKey key) {
        NodeInstances there = all.get(location);
        List<PluginInstance> others = new ArrayList<>(2);
        if (there != null) {
            for (PluginInstance instance : there.instances) {
                if (!instance.key().equals(key)) {
                    others.add(instance);
                }
            }
        }
        return others;
    }
}

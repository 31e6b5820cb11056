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

/** The instances of one plugin on one node, in the order of their keys; usually one or two instances. */
record NodeInstances(Place place, List<PluginInstance> instances) {
    record Place(NodeId nodeId, PluginId pluginId) {
        static Place of(InstanceKey key) {
            return new Place(key.nodeId(), key.pluginId());
        }
    }

    static HashTrie<Place, NodeInstances> put(HashTrie<Place, NodeInstances> all, long edit, PluginInstance instance) {
        Place place = Place.of(instance.key());
        List<PluginInstance> there = others(all, place, instance.key());
        there.add(instance);
        there.sort(Comparator.comparing(PluginInstance::key));
        return all.put(edit, new NodeInstances(place, Collections.unmodifiableList(there)));
    }

    static HashTrie<Place, NodeInstances> remove(HashTrie<Place, NodeInstances> all, long edit, InstanceKey key) {
        Place place = Place.of(key);
        List<PluginInstance> rest = others(all, place, key);
        return rest.isEmpty()
                ? all.remove(edit, place)
                : all.put(edit, new NodeInstances(place, Collections.unmodifiableList(rest)));
    }

    static List<PluginInstance> of(HashTrie<Place, NodeInstances> all, NodeId nodeId, PluginId pluginId) {
        NodeInstances there = all.get(new Place(nodeId, pluginId));
        return there == null ? List.of() : there.instances;
    }

    private static List<PluginInstance> others(HashTrie<Place, NodeInstances> all, Place place, InstanceKey key) {
        NodeInstances there = all.get(place);
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

package io.csi4j.node.internal.worker;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.internal.ledger.MachineIds;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Says which machine a report of this node is about: the external ids by which its plugins know it. Thread-safe. */
public final class ThisMachine {
    private final NodePlugins plugins;
    private final MachineIds ids;
    private final Set<PluginId> announced = ConcurrentHashMap.newKeySet();

    public ThisMachine(NodePlugins plugins, MachineIds ids) {
        this.plugins = plugins;
        this.ids = ids;
    }

    /** Remembers a plugin, because a machine without mounts has not stored its id yet. */
    public void announced(PluginId pluginId) {
        announced.add(pluginId);
    }

    /** Returns the id of each plugin: what the plugin says now, else the only one that it has ever said. */
    public Map<PluginId, ExternalNodeId> ids() {
        Set<PluginId> all = new TreeSet<>(ids.plugins());
        all.addAll(announced);
        Map<PluginId, ExternalNodeId> found = new TreeMap<>();
        for (PluginId plugin : all) {
            Optional<ExternalNodeId> present = plugins.find(plugin).flatMap(NodePlugin::externalNodeId);
            present.or(() -> ids.only(plugin)).ifPresent(id -> found.put(plugin, id));
        }
        return found;
    }
}

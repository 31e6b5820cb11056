package io.csi4j.client.registry;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;

/** Finds the volumes on this node that still need a plugin, at least for their unmount. */
@FunctionalInterface
public interface PluginUse {
    /**
     * Returns the volumes that are staged or published through a plugin, and the volumes for which this is uncertain.
     * Does not block.
     *
     * @return for example the result of {@code io.csi4j.node.NodeVolumes#volumesOf}
     * @throws RuntimeException if the volumes cannot be found now; {@link StopPolicy#REFUSE} then refuses to stop the
     *     plugin
     */
    List<VolumeKey> volumes(PluginId pluginId);

    /** Returns an implementation that finds no volumes, for hosts that check the use of a plugin themselves. */
    static PluginUse unknown() {
        return pluginId -> List.of();
    }
}

package io.csi4j.registry;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;

/** Finds the volumes on this node that need a plugin, at least to be unmounted. */
@FunctionalInterface
public interface PluginUse {
    /**
     * Returns the volumes that are staged or published through a plugin, or may be. Does not block.
     *
     * @return for example the result of {@code io.csi4j.node.NodeVolumes#volumesOf}
     * @throws RuntimeException if they are not known now; {@link StopPolicy#REFUSE} then refuses every stop
     */
    List<VolumeKey> volumes(PluginId pluginId);

    /** Returns a use without volumes, for hosts that check them themselves. */
    static PluginUse unknown() {
        return pluginId -> List.of();
    }
}

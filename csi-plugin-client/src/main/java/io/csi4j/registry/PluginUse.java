package io.csi4j.registry;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;

/** Knows which volumes on this node need a plugin, if only to be taken away again. */
@FunctionalInterface
public interface PluginUse {
    /**
     * The volumes that are staged or published through a plugin, or may be. Does not block.
     *
     * @param pluginId the plugin
     * @return their names; for example {@code io.csi4j.node.NodeVolumes#volumesOf}
     * @throws RuntimeException if they are not known now; {@link StopPolicy#REFUSE} then lets nobody go
     */
    List<VolumeKey> volumes(PluginId pluginId);

    /**
     * For hosts that see to it themselves.
     *
     * @return knows of none
     */
    static PluginUse unknown() {
        return pluginId -> List.of();
    }
}

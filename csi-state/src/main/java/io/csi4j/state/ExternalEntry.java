package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import org.jspecify.annotations.Nullable;

/**
 * Which volume stands for a provider's volume; without the volume it is only a key to look for. Equal if plugin and
 * external volume id are.
 */
record ExternalEntry(
        PluginId pluginId,
        String externalVolumeId,
        @Nullable VolumeKey volume) {
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ExternalEntry entry
                && externalVolumeId.equals(entry.externalVolumeId)
                && pluginId.equals(entry.pluginId);
    }

    @Override
    public int hashCode() {
        return 31 * pluginId.hashCode() + externalVolumeId.hashCode();
    }
}

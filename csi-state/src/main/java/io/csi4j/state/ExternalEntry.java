package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import org.jspecify.annotations.Nullable;

/**
 * The volume with an external id; without a volume it is only a search key. Two entries are equal if plugin and external id are.
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

package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import org.jspecify.annotations.Nullable;

/**
 * An index entry with the volume that has an external id; an entry without a volume serves as a search key. Two entries are equal if they
 * have the same plugin and external id.
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

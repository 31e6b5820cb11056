package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import org.jspecify.annotations.Nullable;

/** Which volume stands for a provider's volume; without the volume it is only a key to look for. */
record ExternalEntry(
        PluginId pluginId,
        String externalVolumeId,
        @Nullable VolumeKey volume) {}

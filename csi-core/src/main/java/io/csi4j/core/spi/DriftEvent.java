package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The provider and the state disagree on where a volume is attached (N8).
 *
 * @param kind which way
 * @param pluginId the plugin that told
 * @param externalVolumeId the provider's volume
 * @param volume what stands for it here; empty: nothing does
 * @param externalNodeId the provider's id of the node
 * @param at when it was found
 */
public record DriftEvent(
        Kind kind,
        PluginId pluginId,
        ExternalVolumeId externalVolumeId,
        Optional<VolumeKey> volume,
        ExternalNodeId externalNodeId,
        Instant at) {
    public DriftEvent {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(at, "at");
    }

    /** Which way the two disagree. */
    public enum Kind {
        /** The provider has it attached, and nothing here wants it there. */
        ATTACHED_BUT_NOT_WANTED,
        /** It is PUBLISHED here, and the provider does not have it attached. */
        WANTED_BUT_NOT_ATTACHED
    }
}

package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A difference between the storage provider's attachments and those in the state: one of the two has an attachment of a
 * volume to a node, and the other has none.
 *
 * @param kind the direction of the difference
 * @param pluginId the plugin that reported the attachments
 * @param externalVolumeId the storage provider's id of the volume
 * @param volume the registered volume; empty if the volume is not registered
 * @param externalNodeId the storage provider's id of the node
 * @param at the time when the difference was found
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

    /** Says which side has the attachment: the storage provider or the state. */
    public enum Kind {
        /**
         * The storage provider has attached the volume to the node, although the state has no claim or attachment for
         * it.
         */
        ATTACHED_BUT_NOT_WANTED,
        /** The attachment is PUBLISHED in the state, but the storage provider has not attached the volume. */
        WANTED_BUT_NOT_ATTACHED
    }
}

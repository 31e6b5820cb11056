package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * The periodic comparison with the storage provider stopped to repair a difference, because several repairs succeeded
 * and the provider's list still shows the difference. The list may be wrong, for example with names of nodes in another
 * format. The comparison reports the difference further, and repairs it again after the list has agreed once or the
 * volume was attached anew. An operator can repair it with
 * {@link io.csi4j.core.lifecycle.OperatorActions#reconcile}.
 *
 * @param kind the direction of the difference
 * @param pluginId the plugin that reported the attachments
 * @param volume the volume in the state
 * @param externalVolumeId the storage provider's id of the volume
 * @param externalNodeId the storage provider's id of the node
 * @param repairs the number of repairs without effect
 * @param at the time when the repairs stopped
 */
public record RepairStoppedEvent(
        DriftEvent.Kind kind,
        PluginId pluginId,
        VolumeKey volume,
        ExternalVolumeId externalVolumeId,
        ExternalNodeId externalNodeId,
        int repairs,
        Instant at) {
    public RepairStoppedEvent {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(at, "at");
    }
}

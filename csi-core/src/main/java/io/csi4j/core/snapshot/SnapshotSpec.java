package io.csi4j.core.snapshot;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.text.Text;
import java.util.Map;
import java.util.Objects;

/**
 * The intent to create a snapshot. It never changes, so that each CreateSnapshot of the snapshot has the same fields
 * (R29).
 *
 * @param source the volume of which the snapshot is made
 * @param sourceIndex the index of the command that added the volume, because a later volume may have the same key
 * @param pluginId the plugin of the volume
 * @param sourceVolumeId the storage provider's id of the volume
 * @param providerName the name that CreateSnapshot sends; no other snapshot of the plugin ever has it (R76)
 * @param parameters parameters that only the plugin interprets, and those that name the snapshot if the profile of the
 *     plugin asked for them when the intent was stored
 */
public record SnapshotSpec(
        VolumeKey source,
        long sourceIndex,
        PluginId pluginId,
        ExternalVolumeId sourceVolumeId,
        String providerName,
        Map<String, String> parameters) {
    public SnapshotSpec {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
        Text.checked("SnapshotSpec: providerName", providerName);
        parameters = Text.checked("SnapshotSpec: parameters", parameters);
    }

    /**
     * Returns whether the other intent asks for the same, whatever the names at the storage provider, and whatever the
     * orchestrator itself has added to the parameters.
     */
    boolean asks(SnapshotSpec other) {
        return source.equals(other.source)
                && sourceIndex == other.sourceIndex
                && CsiLimits.unreserved(parameters).equals(CsiLimits.unreserved(other.parameters));
    }

    /** Leaves out the values of the parameters, which may be confidential. */
    @Override
    public String toString() {
        return "SnapshotSpec[source=" + source + ", pluginId=" + pluginId + ", providerName=" + providerName
                + ", parameters=" + parameters.size() + " not shown]";
    }
}

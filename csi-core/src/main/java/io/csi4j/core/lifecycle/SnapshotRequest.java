package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A request for a snapshot of a volume.
 *
 * @param volume the volume
 * @param name the host's name for the snapshot; another request with the same name returns the same snapshot. The
 *     engine does not store the name: the host must persist it before the request (R76)
 * @param parameters parameters that only the plugin interprets
 * @param accessibilityRequirements the topology from which the snapshot has to be accessible; CSI has this field since
 *     version 1.13
 */
public record SnapshotRequest(
        VolumeKey volume,
        String name,
        Map<String, String> parameters,
        Optional<TopologyRequirement> accessibilityRequirements) {
    public SnapshotRequest {
        Objects.requireNonNull(volume, "volume");
        Text.checked("SnapshotRequest: name", name);
        Objects.requireNonNull(accessibilityRequirements, "accessibilityRequirements");
        parameters = Text.checked("SnapshotRequest: parameters", parameters);
    }

    /**
     * Returns a request without parameters and topology, so that the plugin uses its defaults.
     *
     * @param name the host's name for the snapshot
     */
    public static SnapshotRequest of(VolumeKey volume, String name) {
        return new SnapshotRequest(volume, name, Map.of(), Optional.empty());
    }
}

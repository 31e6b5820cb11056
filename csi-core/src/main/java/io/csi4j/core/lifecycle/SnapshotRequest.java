package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.Text;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A snapshot to be cut.
 *
 * @param volume of what
 * @param name the host's key of idempotency: the same name again is the same snapshot, after a crash or a lost answer
 *     too, and the engine keeps no other record of it; so write it down before asking (R76)
 * @param parameters opaque, for the provider
 * @param accessibilityRequirements from where it has to be accessible; CSI 1.13
 */
public record SnapshotRequest(
        VolumeKey volume,
        String name,
        Map<String, String> parameters,
        Optional<TopologyRequirement> accessibilityRequirements) {
    /** Copies the parameters. */
    public SnapshotRequest {
        Objects.requireNonNull(volume, "volume");
        Text.checked("SnapshotRequest: name", name);
        Objects.requireNonNull(accessibilityRequirements, "accessibilityRequirements");
        parameters = Text.checked("SnapshotRequest: parameters", parameters);
    }

    /**
     * A snapshot with the provider's defaults.
     *
     * @param volume of what
     * @param name the key of idempotency
     * @return the request
     */
    public static SnapshotRequest of(VolumeKey volume, String name) {
        return new SnapshotRequest(volume, name, Map.of(), Optional.empty());
    }
}

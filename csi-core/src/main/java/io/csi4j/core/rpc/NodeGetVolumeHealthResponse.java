package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.Objects;
import java.util.Optional;

/**
 * The health of one volume on this node (CSI {@code NodeGetVolumeHealth}, R104).
 *
 * @param volumeHealth the problems; no entries: healthy
 */
public record NodeGetVolumeHealthResponse(Optional<VolumeHealth> volumeHealth) {
    public NodeGetVolumeHealthResponse {
        Objects.requireNonNull(volumeHealth, "volumeHealth");
    }
}

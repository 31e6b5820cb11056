package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.Objects;
import java.util.Optional;

/**
 * The health of one volume (CSI {@code ControllerGetVolumeHealth}, R104).
 *
 * @param volumeHealth the problems; no entries: healthy
 */
public record ControllerGetVolumeHealthResponse(Optional<VolumeHealth> volumeHealth) {
    public ControllerGetVolumeHealthResponse {
        Objects.requireNonNull(volumeHealth, "volumeHealth");
    }
}

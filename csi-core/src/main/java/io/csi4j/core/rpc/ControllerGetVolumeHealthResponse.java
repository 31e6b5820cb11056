package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of ControllerGetVolumeHealth: the health of one volume (R104).
 *
 * @param volumeHealth the problems of the volume; a volume without entries is healthy
 */
public record ControllerGetVolumeHealthResponse(Optional<VolumeHealth> volumeHealth) {
    public ControllerGetVolumeHealthResponse {
        Objects.requireNonNull(volumeHealth, "volumeHealth");
    }
}

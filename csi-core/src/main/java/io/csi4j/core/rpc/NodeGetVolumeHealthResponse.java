package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of NodeGetVolumeHealth: the health of one volume on the node (R104).
 *
 * @param volumeHealth the problems of the volume; a volume without entries is healthy
 */
public record NodeGetVolumeHealthResponse(Optional<VolumeHealth> volumeHealth) {
    public NodeGetVolumeHealthResponse {
        Objects.requireNonNull(volumeHealth, "volumeHealth");
    }
}

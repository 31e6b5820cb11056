package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeStatus;
import java.util.Objects;
import java.util.Optional;

/**
 * One volume with its status (CSI {@code ControllerGetVolume}, alpha).
 *
 * @param volume the volume
 * @param status where it is published, and its condition
 */
public record ControllerGetVolumeResponse(ExternalVolume volume, Optional<ExternalVolumeStatus> status) {
    public ControllerGetVolumeResponse {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(status, "status");
    }
}

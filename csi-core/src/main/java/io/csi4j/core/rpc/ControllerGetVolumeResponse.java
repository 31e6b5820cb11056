package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeStatus;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of ControllerGetVolume (alpha): one volume with its status.
 *
 * @param volume the volume
 * @param status the nodes to which the volume is published, and the condition of the volume
 */
public record ControllerGetVolumeResponse(ExternalVolume volume, Optional<ExternalVolumeStatus> status) {
    public ControllerGetVolumeResponse {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(status, "status");
    }
}

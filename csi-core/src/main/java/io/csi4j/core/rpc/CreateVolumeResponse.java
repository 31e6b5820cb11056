package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import java.util.Objects;

/**
 * The volume that was made, or had been made by the same request (CSI {@code CreateVolume}, R57).
 *
 * @param volume the volume
 */
public record CreateVolumeResponse(ExternalVolume volume) {
    public CreateVolumeResponse {
        Objects.requireNonNull(volume, "volume");
    }
}

package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import java.util.Objects;

/**
 * The response of CreateVolume: the volume that this request, or an earlier equal request, created (R57).
 *
 * @param volume the volume
 */
public record CreateVolumeResponse(ExternalVolume volume) {
    public CreateVolumeResponse {
        Objects.requireNonNull(volume, "volume");
    }
}

package io.csi4j.core.rpc;

import io.csi4j.core.csi.PublishContext;
import java.util.Objects;

/**
 * The response of ControllerPublishVolume: the volume is available on the node (R63).
 *
 * @param publishContext the context that NodeStageVolume and NodePublishVolume need
 */
public record ControllerPublishVolumeResponse(PublishContext publishContext) {
    public ControllerPublishVolumeResponse {
        Objects.requireNonNull(publishContext, "publishContext");
    }
}

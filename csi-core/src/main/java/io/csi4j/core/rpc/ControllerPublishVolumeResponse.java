package io.csi4j.core.rpc;

import io.csi4j.core.csi.PublishContext;
import java.util.Objects;

/**
 * The response of ControllerPublishVolume: the volume is available on the node (R63).
 *
 * @param publishContext what stage and publish on the node need
 */
public record ControllerPublishVolumeResponse(PublishContext publishContext) {
    public ControllerPublishVolumeResponse {
        Objects.requireNonNull(publishContext, "publishContext");
    }
}

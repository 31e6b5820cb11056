package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import java.util.Objects;

/**
 * What the controller service offers (CSI {@code ControllerGetCapabilities}, R42).
 *
 * @param capabilities what is offered
 */
public record ControllerGetCapabilitiesResponse(CapabilitySet<ControllerCapability> capabilities) {
    public ControllerGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import java.util.Objects;

/**
 * The response of ControllerGetCapabilities: the capabilities of the controller service (R42).
 *
 * @param capabilities the capabilities
 */
public record ControllerGetCapabilitiesResponse(CapabilitySet<ControllerCapability> capabilities) {
    public ControllerGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

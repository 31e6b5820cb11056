package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.GroupControllerCapability;
import java.util.Objects;

/**
 * The response of GroupControllerGetCapabilities: the capabilities of the group controller service (R42).
 *
 * @param capabilities the capabilities
 */
public record GroupControllerGetCapabilitiesResponse(CapabilitySet<GroupControllerCapability> capabilities) {
    public GroupControllerGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

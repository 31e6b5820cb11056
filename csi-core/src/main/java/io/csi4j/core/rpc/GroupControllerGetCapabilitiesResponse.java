package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.GroupControllerCapability;
import java.util.Objects;

/**
 * What the group controller service offers (CSI {@code GroupControllerGetCapabilities}, R42).
 *
 * @param capabilities what is offered
 */
public record GroupControllerGetCapabilitiesResponse(CapabilitySet<GroupControllerCapability> capabilities) {
    public GroupControllerGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

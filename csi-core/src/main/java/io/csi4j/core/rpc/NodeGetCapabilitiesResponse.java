package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import java.util.Objects;

/**
 * The response of NodeGetCapabilities: the capabilities of the node service (R42).
 *
 * @param capabilities the capabilities
 */
public record NodeGetCapabilitiesResponse(CapabilitySet<NodeCapability> capabilities) {
    public NodeGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

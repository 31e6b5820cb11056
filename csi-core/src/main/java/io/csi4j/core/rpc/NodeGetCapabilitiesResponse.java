package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import java.util.Objects;

/**
 * What the node service offers (CSI {@code NodeGetCapabilities}, R42).
 *
 * @param capabilities what is offered
 */
public record NodeGetCapabilitiesResponse(CapabilitySet<NodeCapability> capabilities) {
    public NodeGetCapabilitiesResponse {
        Objects.requireNonNull(capabilities, "capabilities");
    }
}

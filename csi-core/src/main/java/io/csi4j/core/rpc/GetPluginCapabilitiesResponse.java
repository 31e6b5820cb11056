package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import java.util.Objects;

/**
 * The response of GetPluginCapabilities: the services of the plugin, over all its instances (R38).
 *
 * @param services services and constraints
 * @param volumeExpansion when volumes can grow
 */
public record GetPluginCapabilitiesResponse(
        CapabilitySet<PluginService> services, CapabilitySet<VolumeExpansion> volumeExpansion) {
    public GetPluginCapabilitiesResponse {
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
    }
}

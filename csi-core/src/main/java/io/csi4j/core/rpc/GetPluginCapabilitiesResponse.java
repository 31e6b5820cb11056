package io.csi4j.core.rpc;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import java.util.Objects;

/**
 * The response of GetPluginCapabilities: the services of the plugin, which are the same at all its instances (R38).
 *
 * @param services the services and general capabilities
 * @param volumeExpansion whether volumes can be expanded while they are in use, while they are not in use, or both
 */
public record GetPluginCapabilitiesResponse(
        CapabilitySet<PluginService> services, CapabilitySet<VolumeExpansion> volumeExpansion) {
    public GetPluginCapabilitiesResponse {
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
    }
}

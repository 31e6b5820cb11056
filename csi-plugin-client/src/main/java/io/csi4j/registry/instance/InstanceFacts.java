package io.csi4j.registry.instance;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.plugin.NodeInfo;
import java.util.Objects;
import java.util.Optional;

/**
 * The facts that an instance reported when it was queried last, all from the same process.
 *
 * @param provider the plugin's own name (GetPluginInfo, R37)
 * @param vendorVersion the plugin's version; empty: not reported
 * @param services the services of the plugin as a whole (GetPluginCapabilities, R38)
 * @param volumeExpansion the way in which volumes can be expanded (GetPluginCapabilities, R82)
 * @param controllerCapabilities the capabilities of its controller service; empty: not queried, because the instance is no controller or the
 *     plugin has no controller service
 * @param groupControllerCapabilities the capabilities of its group controller service; empty: not supported, or not queried for the same
 *     reasons as the controller service
 * @param nodeCapabilities the capabilities of its node service; empty: not queried, because the instance is no node plugin
 * @param nodeInfo the response of NodeGetInfo (R93); empty: not queried, or not supported
 */
public record InstanceFacts(
        String provider,
        String vendorVersion,
        CapabilitySet<PluginService> services,
        CapabilitySet<VolumeExpansion> volumeExpansion,
        Optional<CapabilitySet<ControllerCapability>> controllerCapabilities,
        Optional<CapabilitySet<GroupControllerCapability>> groupControllerCapabilities,
        Optional<CapabilitySet<NodeCapability>> nodeCapabilities,
        Optional<NodeInfo> nodeInfo) {
    public InstanceFacts {
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(vendorVersion, "vendorVersion");
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
        Objects.requireNonNull(controllerCapabilities, "controllerCapabilities");
        Objects.requireNonNull(groupControllerCapabilities, "groupControllerCapabilities");
        Objects.requireNonNull(nodeCapabilities, "nodeCapabilities");
        Objects.requireNonNull(nodeInfo, "nodeInfo");
    }

    /** Returns the capabilities against which requests are checked (R42); capabilities that were not queried count as unknown. */
    public Capabilities capabilities() {
        return new Capabilities(
                Optional.of(services), controllerCapabilities, groupControllerCapabilities, nodeCapabilities);
    }

    /** Returns a copy with a newer response of NodeGetInfo. */
    public InstanceFacts withNodeInfo(NodeInfo reported) {
        return new InstanceFacts(
                provider,
                vendorVersion,
                services,
                volumeExpansion,
                controllerCapabilities,
                groupControllerCapabilities,
                nodeCapabilities,
                Optional.of(reported));
    }
}

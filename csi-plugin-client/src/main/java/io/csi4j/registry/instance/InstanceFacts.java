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
 * What an instance told about itself when it was last asked, all of it from one process.
 *
 * @param provider the plugin's own name (GetPluginInfo, R37)
 * @param vendorVersion its version; empty text: it told none
 * @param services what the plugin as a whole offers (GetPluginCapabilities, R38)
 * @param volumeExpansion how volumes can be expanded (GetPluginCapabilities, R82)
 * @param controllerCapabilities what its controller service offers; empty: it was not asked, because it is not a
 *     controller or the plugin has no controller service
 * @param groupControllerCapabilities what its group controller service offers; empty: it was not asked, as for the
 *     controller, or has no such call
 * @param nodeCapabilities what its node service offers; empty: it was not asked, because it is not a node plugin
 * @param nodeInfo what NodeGetInfo told (R93); empty: it was not asked, or has no such call
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
    /** Checks that all parts are there. */
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

    /**
     * What the instance has announced, to hold requests against (R42).
     *
     * @return its capabilities; what was not asked is not known
     */
    public Capabilities capabilities() {
        return new Capabilities(
                Optional.of(services), controllerCapabilities, groupControllerCapabilities, nodeCapabilities);
    }

    /**
     * The same facts with a newer answer to NodeGetInfo.
     *
     * @param told the newer answer
     * @return a copy
     */
    public InstanceFacts withNodeInfo(NodeInfo told) {
        return new InstanceFacts(
                provider,
                vendorVersion,
                services,
                volumeExpansion,
                controllerCapabilities,
                groupControllerCapabilities,
                nodeCapabilities,
                Optional.of(told));
    }
}

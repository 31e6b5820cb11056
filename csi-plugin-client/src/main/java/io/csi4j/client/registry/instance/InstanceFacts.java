package io.csi4j.client.registry.instance;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.plugin.NodeInfo;
import java.util.Objects;
import java.util.Optional;

/**
 * The facts that an instance reported when it was queried last, all from the same process.
 *
 * @param provider the plugin's own name (GetPluginInfo, R37)
 * @param vendorVersion the plugin's version; empty: not reported
 * @param capabilities the services and the kinds of volume expansion of the plugin as a whole (R38, R82), and the capabilities of the
 *     services that the instance serves; those that were not queried, or that the plugin does not support, are not known
 * @param nodeInfo the response of NodeGetInfo (R93); empty: not queried, or not supported
 */
public record InstanceFacts(
        String provider, String vendorVersion, Capabilities capabilities, Optional<NodeInfo> nodeInfo) {
    public InstanceFacts {
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(vendorVersion, "vendorVersion");
        Objects.requireNonNull(capabilities, "capabilities");
        Objects.requireNonNull(nodeInfo, "nodeInfo");
    }

    /** Returns a copy with a newer response of NodeGetInfo. */
    public InstanceFacts withNodeInfo(NodeInfo reported) {
        return new InstanceFacts(provider, vendorVersion, capabilities, Optional.of(reported));
    }
}

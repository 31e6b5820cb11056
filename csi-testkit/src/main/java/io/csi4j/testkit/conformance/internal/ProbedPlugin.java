package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.GroupControllerServiceCapability;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import java.util.Set;

/**
 * The answers of the plugin about its name, services and capabilities at the start of the run. Capabilities that this
 * kit does not know are left out.
 *
 * @param name the name
 * @param version the vendor version
 * @param services the optional services that it offers, and whether topologies constrain its volumes
 * @param expansions when volumes can be expanded
 * @param controller the capabilities of the controller
 * @param node the capabilities of the node
 * @param group the capabilities of the group controller
 * @param servesNode whether the endpoint serves the node service
 * @param minimumVolumeBytes the smallest volume that the plugin makes; zero: not known
 * @param nodeInfo the answer of NodeGetInfo; empty if the node does not serve it
 */
public record ProbedPlugin(
        String name,
        String version,
        Set<PluginCapability.Service.Type> services,
        Set<PluginCapability.VolumeExpansion.Type> expansions,
        Set<ControllerServiceCapability.RPC.Type> controller,
        Set<NodeServiceCapability.RPC.Type> node,
        Set<GroupControllerServiceCapability.RPC.Type> group,
        boolean servesNode,
        long minimumVolumeBytes,
        NodeGetInfoResponse nodeInfo) {
    boolean offlineExpansionOnly() {
        return expansions.contains(PluginCapability.VolumeExpansion.Type.OFFLINE)
                && !expansions.contains(PluginCapability.VolumeExpansion.Type.ONLINE);
    }
}

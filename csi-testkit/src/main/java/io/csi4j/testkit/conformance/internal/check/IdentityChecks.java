package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.CONTROLLER_SERVICE;
import static io.csi4j.testkit.conformance.internal.Need.GROUP_CONTROLLER_SERVICE;
import static io.csi4j.testkit.conformance.internal.Need.NODE_SERVICE;
import static io.csi4j.testkit.conformance.internal.Rule.R14;
import static io.csi4j.testkit.conformance.internal.Rule.R15;
import static io.csi4j.testkit.conformance.internal.Rule.R16;
import static io.csi4j.testkit.conformance.internal.Rule.R17;
import static io.csi4j.testkit.conformance.internal.Rule.R19;
import static io.csi4j.testkit.conformance.internal.Rule.R24;
import static io.csi4j.testkit.conformance.internal.Rule.R37;
import static io.csi4j.testkit.conformance.internal.Rule.R38;
import static io.csi4j.testkit.conformance.internal.Rule.R39;
import static io.csi4j.testkit.conformance.internal.Rule.R42;
import static io.csi4j.testkit.conformance.internal.Rule.R93;

import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.csi4j.proto.csi.v1.PluginCapability.Service;
import io.csi4j.proto.csi.v1.PluginCapability.VolumeExpansion;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.testkit.conformance.internal.Checks;
import io.csi4j.testkit.conformance.internal.Need;
import io.csi4j.testkit.conformance.internal.Run;
import io.grpc.Status.Code;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks the answers of a plugin about itself: name, version, readiness and services. */
final class IdentityChecks {
    private IdentityChecks() {}

    static void addTo(Checks checks) {
        checks.check("identity.probe", "Probe succeeds, and ready is true or absent", R39)
                .run(run -> {
                    var response =
                            run.calls().eventually(() -> run.identity().probe(ProbeRequest.getDefaultInstance()));
                    run.should(
                            !response.hasReady() || response.getReady().getValue(),
                            "Probe answered ready = false; the other checks need a plugin that is ready");
                });
        checks.check("identity.info", "The name has the form of a domain, and there is a version", R19, R37)
                .run(IdentityChecks::info);
        checks.check(
                        "identity.capabilities",
                        "Plugin capabilities have a type, and the same ones are returned again",
                        R38)
                .run(IdentityChecks::pluginCapabilities);
        checks.check("identity.every-endpoint", "Both endpoints serve Identity and agree", R14, R38)
                .run(IdentityChecks::everyEndpoint);
        checks.check("identity.controller-capabilities", "The controller returns its capabilities", R42)
                .needs(CONTROLLER_SERVICE)
                .run(run -> run.should(
                        run
                                .controller()
                                .controllerGetCapabilities(ControllerGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList()
                                .stream()
                                .allMatch(ControllerServiceCapability::hasRpc),
                        "a controller capability has no type"));
        checks.check("identity.node-capabilities", "The node returns its capabilities", R42)
                .needs(NODE_SERVICE)
                .run(run -> run.should(
                        run
                                .node()
                                .nodeGetCapabilities(NodeGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList()
                                .stream()
                                .allMatch(one -> one.hasRpc()),
                        "a node capability has no type"));
        checks.check("identity.group-capabilities", "The group controller returns its capabilities", R42)
                .needs(GROUP_CONTROLLER_SERVICE)
                .run(run -> run.must(
                        run.groups()
                                        .groupControllerGetCapabilities(
                                                GroupControllerGetCapabilitiesRequest.getDefaultInstance())
                                        .getCapabilitiesCount()
                                > 0,
                        "the group controller returned no capability"));
        checks.check("identity.dependencies", "Each capability comes with the capabilities that it requires", R42)
                .run(IdentityChecks::dependencies);
        checks.check("identity.unsupported-rpc", "An RPC without its capability is UNIMPLEMENTED", R15, R42)
                .run(IdentityChecks::unsupported);
        checks.check(
                        "node-info.values",
                        "A node has an id of at most 256 bytes and a limit that is not negative",
                        R17,
                        R93)
                .needs(NODE_SERVICE)
                .run(IdentityChecks::nodeInfo);
        checks.check("node-info.topology", "The topology of the node has the form of a topology", R24, R93)
                .needs(NODE_SERVICE, Need.TOPOLOGY)
                .run(run -> {
                    NodeGetInfoResponse info = run.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance());
                    run.should(info.hasAccessibleTopology(), "a plugin with topology returned none for its node");
                    TopologyChecks.require(run, List.of(info.getAccessibleTopology()), "the node's topology");
                });
    }

    private static void info(Run run) {
        GetPluginInfoResponse info = run.identity().getPluginInfo(GetPluginInfoRequest.getDefaultInstance());
        run.must(R37, !info.getName().isEmpty(), "the plugin name is missing");
        run.must(R37, !info.getVendorVersion().isEmpty(), "the vendor version is missing");
        run.must(
                R19,
                info.getName().matches("[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?"),
                "the plugin name '" + info.getName() + "' has not the form of a domain of at most 63 characters");
        run.should(R16, bytes(info.getVendorVersion()) <= 128, "the vendor version has more than 128 bytes");
    }

    private static void pluginCapabilities(Run run) {
        List<PluginCapability> first = run.identity()
                .getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList();
        List<PluginCapability> second = run.identity()
                .getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList();
        run.must(Set.copyOf(first).equals(Set.copyOf(second)), "a second call returned other capabilities");
        run.should(
                first.stream().noneMatch(one -> one.getTypeCase() == PluginCapability.TypeCase.TYPE_NOT_SET),
                "a capability has no type");
        run.should(new HashSet<>(first).size() == first.size(), "a capability is there twice");
    }

    private static void everyEndpoint(Run run) {
        run.applies(
                !run.settings().controllerEndpoint().equals(run.settings().endpoint()), "there is one endpoint only");
        var node = run.identity();
        var controller = run.controllerIdentity();
        run.must(
                node.getPluginInfo(GetPluginInfoRequest.getDefaultInstance())
                        .getName()
                        .equals(controller
                                .getPluginInfo(GetPluginInfoRequest.getDefaultInstance())
                                .getName()),
                "the endpoints have different plugin names");
        run.must(
                Set.copyOf(node.getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList())
                        .equals(Set.copyOf(controller
                                .getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList())),
                "the endpoints have different plugin capabilities");
        controller.probe(ProbeRequest.getDefaultInstance());
    }

    private static void dependencies(Run run) {
        Set<ControllerServiceCapability.RPC.Type> controller = run.plugin().controller();
        run.must(
                !controller.contains(ControllerServiceCapability.RPC.Type.LIST_VOLUMES_PUBLISHED_NODES)
                        || (controller.contains(ControllerServiceCapability.RPC.Type.LIST_VOLUMES)
                                && controller.contains(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME)),
                "LIST_VOLUMES_PUBLISHED_NODES needs LIST_VOLUMES and PUBLISH_UNPUBLISH_VOLUME");
        run.must(
                !controller.contains(ControllerServiceCapability.RPC.Type.PUBLISH_READONLY)
                        || controller.contains(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME),
                "PUBLISH_READONLY needs PUBLISH_UNPUBLISH_VOLUME");
        run.must(
                !controller.contains(ControllerServiceCapability.RPC.Type.LIST_VOLUME_HEALTH)
                        || controller.contains(ControllerServiceCapability.RPC.Type.GET_VOLUME_HEALTH),
                "LIST_VOLUME_HEALTH needs GET_VOLUME_HEALTH");
        run.should(
                !run.plugin().expansions().contains(VolumeExpansion.Type.OFFLINE)
                        || controller.contains(ControllerServiceCapability.RPC.Type.EXPAND_VOLUME),
                "VolumeExpansion OFFLINE needs the controller capability EXPAND_VOLUME");
        run.should(
                run.plugin().expansions().isEmpty()
                        || controller.contains(ControllerServiceCapability.RPC.Type.EXPAND_VOLUME)
                        || run.has(Need.NODE_EXPAND_VOLUME),
                "VolumeExpansion needs EXPAND_VOLUME of controller or node");
        run.must(
                !controller.contains(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME)
                        || !run.plugin().servesNode()
                        || run.has(Need.NODE_ID),
                "PUBLISH_UNPUBLISH_VOLUME needs NodeGetInfo with a node id");
        run.must(
                !run.has(Need.SNAPSHOT_METADATA_SERVICE)
                        || run.plugin().services().contains(Service.Type.CONTROLLER_SERVICE),
                "SNAPSHOT_METADATA_SERVICE needs CONTROLLER_SERVICE");
    }

    private static void unsupported(Run run) {
        boolean any = false;
        if (run.has(CONTROLLER_SERVICE) && !run.has(Need.LIST_VOLUMES)) {
            any = true;
            run.shouldRefuse(
                    () -> run.controller().listVolumes(ListVolumesRequest.getDefaultInstance()), Code.UNIMPLEMENTED);
        }
        if (run.has(CONTROLLER_SERVICE) && !run.has(Need.GET_CAPACITY)) {
            any = true;
            run.shouldRefuse(
                    () -> run.controller().getCapacity(GetCapacityRequest.getDefaultInstance()), Code.UNIMPLEMENTED);
        }
        if (!run.has(CONTROLLER_SERVICE)) {
            any = true;
            run.shouldRefuse(
                    () -> run.controller().createVolume(CreateVolumeRequest.getDefaultInstance()), Code.UNIMPLEMENTED);
        }
        if (run.has(NODE_SERVICE) && !run.has(Need.GET_VOLUME_STATS)) {
            any = true;
            run.shouldRefuse(
                    () -> run.node().nodeGetVolumeStats(NodeGetVolumeStatsRequest.getDefaultInstance()),
                    Code.UNIMPLEMENTED,
                    Code.INVALID_ARGUMENT);
        }
        run.applies(any, "the plugin has all the capabilities that this check leaves out");
    }

    private static void nodeInfo(Run run) {
        run.applies(
                run.has(Need.NODE_ID) || run.has(Need.PUBLISH_UNPUBLISH_VOLUME),
                "a plugin without PUBLISH_UNPUBLISH_VOLUME may leave out NodeGetInfo");
        NodeGetInfoResponse info = run.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance());
        run.must(R93, !info.getNodeId().isEmpty(), "the node id is missing");
        run.must(R17, bytes(info.getNodeId()) <= 256, "the node id has " + bytes(info.getNodeId()) + " bytes");
        run.must(R93, info.getMaxVolumesPerNode() >= 0, "max_volumes_per_node is " + info.getMaxVolumesPerNode());
        run.must(
                R93,
                run.node()
                        .nodeGetInfo(NodeGetInfoRequest.getDefaultInstance())
                        .getNodeId()
                        .equals(info.getNodeId()),
                "a second call returned another node id");
    }

    static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}

package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerServiceCapability;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.grpc.StatusRuntimeException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks a plugin for its name, services and capabilities. Fails if GetPluginInfo or GetPluginCapabilities fails. Any
 * other call that fails counts as an empty answer, because a separate check reports the failure.
 */
final class Discovery {
    private static final long SECONDS = 10;

    private final RawCalls calls;

    Discovery(RawCalls calls) {
        this.calls = calls;
    }

    ProbedPlugin discover() {
        IdentityGrpc.IdentityBlockingStub identity =
                IdentityGrpc.newBlockingStub(calls.node()).withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
        GetPluginInfoResponse info = identity.getPluginInfo(GetPluginInfoRequest.getDefaultInstance());
        Set<PluginCapability.Service.Type> services = EnumSet.noneOf(PluginCapability.Service.Type.class);
        Set<PluginCapability.VolumeExpansion.Type> expansions =
                EnumSet.noneOf(PluginCapability.VolumeExpansion.Type.class);
        for (PluginCapability one : identity.getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList()) {
            if (one.hasService()) {
                services.add(one.getService().getType());
            } else if (one.hasVolumeExpansion()) {
                expansions.add(one.getVolumeExpansion().getType());
            }
        }
        boolean controller = services.contains(PluginCapability.Service.Type.CONTROLLER_SERVICE);
        boolean groups = services.contains(PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE);
        Set<ControllerServiceCapability.RPC.Type> controllerTypes = controller ? controllerCapabilities() : Set.of();
        return new ProbedPlugin(
                info.getName(),
                info.getVendorVersion(),
                services,
                expansions,
                controllerTypes,
                nodeCapabilities(),
                groups ? groupCapabilities() : Set.of(),
                servesNode(),
                controllerTypes.contains(ControllerServiceCapability.RPC.Type.GET_CAPACITY) ? minimumVolumeBytes() : 0,
                orDefault(
                        () -> NodeGrpc.newBlockingStub(calls.node())
                                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                .nodeGetInfo(NodeGetInfoRequest.getDefaultInstance()),
                        NodeGetInfoResponse.getDefaultInstance()));
    }

    private Set<ControllerServiceCapability.RPC.Type> controllerCapabilities() {
        Set<ControllerServiceCapability.RPC.Type> found = EnumSet.noneOf(ControllerServiceCapability.RPC.Type.class);
        orDefault(
                        () -> ControllerGrpc.newBlockingStub(calls.controller())
                                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                .controllerGetCapabilities(ControllerGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList(),
                        List.<ControllerServiceCapability>of())
                .forEach(one -> found.add(one.getRpc().getType()));
        return found;
    }

    private long minimumVolumeBytes() {
        return orDefault(
                () -> ControllerGrpc.newBlockingStub(calls.controller())
                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                        .getCapacity(GetCapacityRequest.getDefaultInstance())
                        .getMinimumVolumeSize()
                        .getValue(),
                0L);
    }

    private boolean servesNode() {
        return orDefault(
                () -> NodeGrpc.newBlockingStub(calls.node())
                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                        .nodeGetCapabilities(NodeGetCapabilitiesRequest.getDefaultInstance())
                        .isInitialized(),
                false);
    }

    private Set<NodeServiceCapability.RPC.Type> nodeCapabilities() {
        Set<NodeServiceCapability.RPC.Type> found = EnumSet.noneOf(NodeServiceCapability.RPC.Type.class);
        orDefault(
                        () -> NodeGrpc.newBlockingStub(calls.node())
                                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                .nodeGetCapabilities(NodeGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList(),
                        List.<NodeServiceCapability>of())
                .forEach(one -> found.add(one.getRpc().getType()));
        return found;
    }

    private Set<GroupControllerServiceCapability.RPC.Type> groupCapabilities() {
        Set<GroupControllerServiceCapability.RPC.Type> found =
                EnumSet.noneOf(GroupControllerServiceCapability.RPC.Type.class);
        orDefault(
                        () -> GroupControllerGrpc.newBlockingStub(calls.controller())
                                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                .groupControllerGetCapabilities(
                                        GroupControllerGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList(),
                        List.<GroupControllerServiceCapability>of())
                .forEach(one -> found.add(one.getRpc().getType()));
        return found;
    }

    private static <T> T orDefault(Supplier<T> call, T otherwise) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            return otherwise;
        }
    }
}

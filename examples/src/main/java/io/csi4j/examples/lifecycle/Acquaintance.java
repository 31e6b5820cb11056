package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.rpc.ControllerGetCapabilitiesRequest;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginCapabilitiesRequest;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoRequest;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesRequest;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeGetCapabilitiesRequest;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoRequest;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.examples.walk.StepFailedException;
import io.csi4j.examples.walk.Walk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** Asks a plugin who it is and what it can do, before anything is asked of it. */
final class Acquaintance {
    private static final Duration LONGEST_START = Duration.ofSeconds(30);

    private final RunOptions options;
    private final Plugin plugin;
    private final Walk walk;

    Acquaintance(RunOptions options, Plugin plugin, Walk walk) {
        this.options = options;
        this.plugin = plugin;
        this.walk = walk;
    }

    Facts make() {
        awaitReady(plugin.identity(), options.controllerEndpoint().toString());
        info(plugin.identity());
        if (options.split()) {
            awaitReady(plugin.nodeIdentity(), options.endpoint().toString());
            info(plugin.nodeIdentity());
        }
        GetPluginCapabilitiesResponse offered = walk.call(
                Rpc.GET_PLUGIN_CAPABILITIES,
                () -> plugin.identity().getPluginCapabilities(GetPluginCapabilitiesRequest.of()),
                answer -> list(answer.services()) + "; expansion: " + list(answer.volumeExpansion()));
        CapabilitySet<ControllerCapability> controller = controller(offered);
        CapabilitySet<GroupControllerCapability> group = group(offered);
        NodeGetCapabilitiesResponse node = walk.call(
                Rpc.NODE_GET_CAPABILITIES,
                () -> plugin.node().nodeGetCapabilities(NodeGetCapabilitiesRequest.of()),
                answer -> list(answer.capabilities()));
        Optional<NodeGetInfoResponse> info = nodeInfo(controller);
        return new Facts(
                offered.services(),
                offered.volumeExpansion(),
                controller,
                group,
                node.capabilities(),
                info.map(NodeGetInfoResponse::nodeId),
                info.flatMap(NodeGetInfoResponse::accessibleTopology));
    }

    private void awaitReady(IdentityService identity, String endpoint) {
        // Less than a step may take, so that the reason is told and not only that it took too long.
        Duration half = options.timeout().dividedBy(2);
        Duration limit = half.compareTo(LONGEST_START) < 0 ? half : LONGEST_START;
        walk.call(
                Rpc.PROBE,
                () -> new Readiness(identity, endpoint, limit, walk.log()).await(),
                ready -> "ready: " + endpoint);
    }

    /** Name and version are good to know; the walk can do without. */
    private void info(IdentityService identity) {
        try {
            walk.call(
                    Rpc.GET_PLUGIN_INFO,
                    () -> identity.getPluginInfo(GetPluginInfoRequest.of()),
                    answer -> answer.name() + " " + answer.vendorVersion());
        } catch (StepFailedException e) {
            walk.log().say("     The plugin does not say who it is (R37); the walk goes on.");
        }
    }

    private CapabilitySet<ControllerCapability> controller(GetPluginCapabilitiesResponse offered) {
        if (!offered.services().has(PluginService.CONTROLLER_SERVICE)) {
            walk.log().skipped(Rpc.CONTROLLER_GET_CAPABILITIES.csiName(), "no CONTROLLER_SERVICE");
            return CapabilitySet.of(ControllerCapability.class, List.of());
        }
        return walk.call(
                        Rpc.CONTROLLER_GET_CAPABILITIES,
                        () -> plugin.controller().controllerGetCapabilities(ControllerGetCapabilitiesRequest.of()),
                        (ControllerGetCapabilitiesResponse answer) -> list(answer.capabilities()))
                .capabilities();
    }

    private CapabilitySet<GroupControllerCapability> group(GetPluginCapabilitiesResponse offered) {
        if (!offered.services().has(PluginService.GROUP_CONTROLLER_SERVICE)) {
            walk.log().skipped(Rpc.GROUP_CONTROLLER_GET_CAPABILITIES.csiName(), "no GROUP_CONTROLLER_SERVICE");
            return CapabilitySet.of(GroupControllerCapability.class, List.of());
        }
        return walk.call(
                        Rpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                        () -> plugin.groupController()
                                .groupControllerGetCapabilities(GroupControllerGetCapabilitiesRequest.of()),
                        (GroupControllerGetCapabilitiesResponse answer) -> list(answer.capabilities()))
                .capabilities();
    }

    /** A plugin must have it if it publishes at the controller; others may leave it out (R93). */
    private Optional<NodeGetInfoResponse> nodeInfo(CapabilitySet<ControllerCapability> controller) {
        boolean needed = controller.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        return walk.call(
                Rpc.NODE_GET_INFO,
                () -> plugin.node()
                        .nodeGetInfo(NodeGetInfoRequest.of())
                        .thenApply(Optional::of)
                        .exceptionally(failure -> absent(failure, needed)),
                answer -> answer.map(Acquaintance::text).orElse("not offered; only PUBLISH_UNPUBLISH_VOLUME needs it"));
    }

    private static Optional<NodeGetInfoResponse> absent(Throwable failure, boolean needed) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!needed && cause instanceof CsiCallException call && call.code() == StatusCode.UNIMPLEMENTED) {
            return Optional.empty();
        }
        throw cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }

    private static String text(NodeGetInfoResponse info) {
        return "node " + info.nodeId()
                + (info.maxVolumesPerNode() == 0 ? "" : ", at most " + info.maxVolumesPerNode() + " volumes")
                + info.accessibleTopology()
                        .map(topology -> ", topology " + topology.segments())
                        .orElse("");
    }

    private static <E extends Enum<E> & WireEnum> String list(CapabilitySet<E> offered) {
        if (offered.known().isEmpty() && offered.unknownNumbers().isEmpty()) {
            return "none";
        }
        String known = offered.known().stream().map(Enum::name).collect(Collectors.joining(" "));
        return offered.unknownNumbers().isEmpty() ? known : known + " and unknown " + offered.unknownNumbers();
    }
}

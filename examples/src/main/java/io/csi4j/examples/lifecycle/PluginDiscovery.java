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
import io.csi4j.examples.steps.StepFailedException;
import io.csi4j.examples.steps.StepRunner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** Discovers the plugin's name and capabilities before any other call. */
final class PluginDiscovery {
    private static final Duration MAX_START_TIME = Duration.ofSeconds(30);

    private final RunOptions options;
    private final Plugin plugin;
    private final StepRunner steps;

    PluginDiscovery(RunOptions options, Plugin plugin, StepRunner steps) {
        this.options = options;
        this.plugin = plugin;
        this.steps = steps;
    }

    Capabilities discover() {
        awaitReady(plugin.identity(), options.controllerEndpoint().toString());
        info(plugin.identity());
        if (options.split()) {
            awaitReady(plugin.nodeIdentity(), options.endpoint().toString());
            info(plugin.nodeIdentity());
        }
        GetPluginCapabilitiesResponse offered = steps.call(
                Rpc.GET_PLUGIN_CAPABILITIES,
                () -> plugin.identity().getPluginCapabilities(GetPluginCapabilitiesRequest.of()),
                answer -> names(answer.services()) + "; expansion: " + names(answer.volumeExpansion()));
        CapabilitySet<ControllerCapability> controller = controller(offered);
        CapabilitySet<GroupControllerCapability> group = group(offered);
        NodeGetCapabilitiesResponse node = steps.call(
                Rpc.NODE_GET_CAPABILITIES,
                () -> plugin.node().nodeGetCapabilities(NodeGetCapabilitiesRequest.of()),
                answer -> names(answer.capabilities()));
        Optional<NodeGetInfoResponse> info = nodeInfo(controller);
        return new Capabilities(
                offered.services(),
                offered.volumeExpansion(),
                controller,
                group,
                node.capabilities(),
                info.map(NodeGetInfoResponse::nodeId),
                info.flatMap(NodeGetInfoResponse::accessibleTopology));
    }

    private void awaitReady(IdentityService identity, String endpoint) {
        // Shorter than the limit of a step, so that the failure names its reason and not only the timeout.
        Duration halfTimeout = options.timeout().dividedBy(2);
        Duration limit = halfTimeout.compareTo(MAX_START_TIME) < 0 ? halfTimeout : MAX_START_TIME;
        steps.call(
                Rpc.PROBE,
                () -> new ReadinessCheck(identity, endpoint, limit, steps.log()).await(),
                ready -> "ready: " + endpoint);
    }

    /** Reads the plugin's name and version; the run continues without them. */
    private void info(IdentityService identity) {
        try {
            steps.call(
                    Rpc.GET_PLUGIN_INFO,
                    () -> identity.getPluginInfo(GetPluginInfoRequest.of()),
                    answer -> answer.name() + " " + answer.vendorVersion());
        } catch (StepFailedException e) {
            steps.log().print("     The plugin does not report its name (R37); the run continues.");
        }
    }

    private CapabilitySet<ControllerCapability> controller(GetPluginCapabilitiesResponse offered) {
        if (!offered.services().has(PluginService.CONTROLLER_SERVICE)) {
            steps.log().skipped(Rpc.CONTROLLER_GET_CAPABILITIES.csiName(), "no CONTROLLER_SERVICE");
            return CapabilitySet.of(ControllerCapability.class, List.of());
        }
        return steps.call(
                        Rpc.CONTROLLER_GET_CAPABILITIES,
                        () -> plugin.controller().controllerGetCapabilities(ControllerGetCapabilitiesRequest.of()),
                        (ControllerGetCapabilitiesResponse answer) -> names(answer.capabilities()))
                .capabilities();
    }

    private CapabilitySet<GroupControllerCapability> group(GetPluginCapabilitiesResponse offered) {
        if (!offered.services().has(PluginService.GROUP_CONTROLLER_SERVICE)) {
            steps.log().skipped(Rpc.GROUP_CONTROLLER_GET_CAPABILITIES.csiName(), "no GROUP_CONTROLLER_SERVICE");
            return CapabilitySet.of(GroupControllerCapability.class, List.of());
        }
        return steps.call(
                        Rpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                        () -> plugin.groupController()
                                .groupControllerGetCapabilities(GroupControllerGetCapabilitiesRequest.of()),
                        (GroupControllerGetCapabilitiesResponse answer) -> names(answer.capabilities()))
                .capabilities();
    }

    /**
     * Reads the node's information. Plugins that publish at the controller must have this call, others may lack it (R93).
     */
    private Optional<NodeGetInfoResponse> nodeInfo(CapabilitySet<ControllerCapability> controller) {
        boolean required = controller.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        return steps.call(
                Rpc.NODE_GET_INFO,
                () -> plugin.node()
                        .nodeGetInfo(NodeGetInfoRequest.of())
                        .thenApply(Optional::of)
                        .exceptionally(failure -> emptyIfUnimplemented(failure, required)),
                answer -> answer.map(PluginDiscovery::text)
                        .orElse("not offered; only PUBLISH_UNPUBLISH_VOLUME needs it"));
    }

    private static Optional<NodeGetInfoResponse> emptyIfUnimplemented(Throwable failure, boolean required) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!required && cause instanceof CsiCallException call && call.code() == StatusCode.UNIMPLEMENTED) {
            return Optional.empty();
        }
        throw cause instanceof RuntimeException exception ? exception : new CompletionException(cause);
    }

    private static String text(NodeGetInfoResponse info) {
        return "node " + info.nodeId()
                + (info.maxVolumesPerNode() == 0 ? "" : ", at most " + info.maxVolumesPerNode() + " volumes")
                + info.accessibleTopology()
                        .map(topology -> ", topology " + topology.segments())
                        .orElse("");
    }

    private static <E extends Enum<E> & WireEnum> String names(CapabilitySet<E> offered) {
        if (offered.known().isEmpty() && offered.unknownNumbers().isEmpty()) {
            return "none";
        }
        String known = offered.known().stream().map(Enum::name).collect(Collectors.joining(" "));
        return offered.unknownNumbers().isEmpty() ? known : known + " and unknown " + offered.unknownNumbers();
    }
}

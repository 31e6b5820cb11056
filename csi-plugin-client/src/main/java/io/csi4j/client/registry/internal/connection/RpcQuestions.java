package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.ProbeResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the queries of a connection to its plugin as RPCs. At most one query is in flight at a time; each RPC has its own deadline. The RPCs of a query are
 * made one after another, so that an unhealthy plugin gets few calls.
 */
public final class RpcQuestions implements AutoCloseable {
    private final ConnectedServices services;
    private final PluginType type;
    private final CapabilityCache cache;
    private volatile @Nullable CompletableFuture<?> current;

    public RpcQuestions(ConnectedServices services, PluginType type, CapabilityCache cache) {
        this.services = services;
        this.type = type;
        this.cache = cache;
    }

    private <T> CompletableFuture<T> ask(CompletableFuture<T> call) {
        current = call;
        return call;
    }

    /**
     * Calls Probe.
     *
     * @return whether the plugin is ready
     */
    public CompletableFuture<Boolean> probe() {
        return ask(services.identity().probe()).thenApply(ProbeResponse::ready);
    }

    /**
     * Queries the name and the capabilities.
     *
     * @param fresh whether to query the capabilities from this process, even if another process of the same version has reported them
     *     before
     */
    public CompletableFuture<InstanceFacts> facts(boolean fresh) {
        return ask(services.identity().getPluginInfo())
                .thenCompose(info -> plugin(info, fresh)
                        .thenCompose(plugin -> controller(plugin)
                                .thenCompose(controller -> groupController(plugin)
                                        .thenCompose(group -> nodeCapabilities()
                                                .thenCompose(node -> nodeInfo()
                                                        .thenApply(nodeInfo -> new InstanceFacts(
                                                                info.name(),
                                                                info.vendorVersion(),
                                                                new Capabilities(
                                                                        Optional.of(plugin.services()),
                                                                        Optional.of(plugin.volumeExpansion()),
                                                                        controller,
                                                                        group,
                                                                        node),
                                                                nodeInfo)))))));
    }

    private CompletableFuture<GetPluginCapabilitiesResponse> plugin(GetPluginInfoResponse info, boolean fresh) {
        GetPluginCapabilitiesResponse known = fresh ? null : cache.of(info);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return ask(services.identity().getPluginCapabilities()).thenApply(reported -> {
            cache.put(info, reported);
            return reported;
        });
    }

    private CompletableFuture<Optional<CapabilitySet<ControllerCapability>>> controller(
            GetPluginCapabilitiesResponse plugin) {
        if (!type.servesController() || !plugin.services().has(PluginService.CONTROLLER_SERVICE)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return ask(services.controller().controllerGetCapabilities())
                .thenApply(reported -> Optional.of(reported.capabilities()));
    }

    /**
     * Queries the capabilities. Returns empty if the plugin answers UNIMPLEMENTED; the capabilities then count as
     * unknown.
     */
    private CompletableFuture<Optional<CapabilitySet<GroupControllerCapability>>> groupController(
            GetPluginCapabilitiesResponse plugin) {
        if (!type.servesController() || !plugin.services().has(PluginService.GROUP_CONTROLLER_SERVICE)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return orUnknown(ask(services.groupController().groupControllerGetCapabilities())
                .thenApply(reported -> Optional.of(reported.capabilities())));
    }

    private CompletableFuture<Optional<CapabilitySet<NodeCapability>>> nodeCapabilities() {
        if (!type.servesNode()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return ask(services.node().nodeGetCapabilities()).thenApply(reported -> Optional.of(reported.capabilities()));
    }

    /**
     * Calls NodeGetInfo only.
     *
     * @return empty: the plugin has no node service, or does not support the RPC
     */
    public CompletableFuture<Optional<NodeInfo>> nodeInfo() {
        if (!type.servesNode()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        // Accepts UNIMPLEMENTED: a plugin whose volumes need no ControllerPublishVolume need not support NodeGetInfo
        // (R93).
        return orUnknown(ask(services.node().nodeGetInfo()).thenApply(reported -> Optional.of(read(reported))));
    }

    private static <T> CompletableFuture<Optional<T>> orUnknown(CompletableFuture<Optional<T>> asked) {
        return asked.exceptionallyCompose(failure -> absent(Futures.unwrap(failure))
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    private static boolean absent(Throwable failure) {
        return failure instanceof CsiCallException call && call.code() == StatusCode.UNIMPLEMENTED;
    }

    private static NodeInfo read(NodeGetInfoResponse reported) {
        return new NodeInfo(reported.nodeId(), reported.maxVolumesPerNode(), reported.accessibleTopology());
    }

    /** Abandons the query in flight. */
    public void abandon() {
        CompletableFuture<?> asked = current;
        if (asked != null) {
            asked.cancel(true);
        }
    }

    @Override
    public void close() {
        services.close();
    }
}

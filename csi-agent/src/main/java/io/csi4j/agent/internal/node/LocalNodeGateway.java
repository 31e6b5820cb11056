package io.csi4j.agent.internal.node;

import io.csi4j.agent.internal.relay.NodeDeadlines;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.ClientServices;
import io.csi4j.client.CsiClient;
import io.csi4j.client.RelayedCall;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.transport.RemoteFailureException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls the plugins and volumes of the node in this process. */
public final class LocalNodeGateway implements NodeGateway {
    private final NodeId nodeId;
    private final NodeRuntime node;
    private final CallDeadlines deadlines;
    private final Environment environment;

    public LocalNodeGateway(NodeId nodeId, NodeRuntime node, CallDeadlines deadlines, Environment environment) {
        this.nodeId = nodeId;
        this.node = node;
        this.deadlines = deadlines;
        this.environment = environment;
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).controller();
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).groupController();
    }

    @Override
    public MetadataPages snapshotMetadata(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).snapshotMetadata();
    }

    /** Returns the services of an instance. Each call is a call of the client that the instance has then. */
    private ClientServices services(InstanceKey instance) {
        return ClientServices.of(new InstanceClient(instance), deadlines);
    }

    /** Finds the client of a plugin instance. */
    private final class InstanceClient implements ClientServices.Finder {
        private final InstanceKey instance;

        InstanceClient(InstanceKey instance) {
            this.instance = instance;
        }

        @Override
        public <R> CompletableFuture<R> call(RelayedCall call, Function<CsiClient, CompletableFuture<R>> made) {
            return ControllerCalls.call(node.registry(), instance, made, reason -> unavailable(instance, call, reason));
        }
    }

    private static <R> CompletableFuture<R> unavailable(InstanceKey instance, RelayedCall call, String reason) {
        return CompletableFuture.failedFuture(
                notSent(call.rpc(), instance.pluginId(), call.subject().orElse(null), call.redacted(reason)));
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        Objects.requireNonNull(request, "request");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_UNPUBLISH_VOLUME, request.pluginId(), request.externalVolumeId()),
                NodeDeadlines.detach(deadlines),
                () -> WatchedUnmount.start(
                        node.volumes(), NodeUnmount.of(request), environment.timer(), environment.executor()));
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId asked) {
        Objects.requireNonNull(asked, "nodeId");
        return asked.equals(nodeId)
                ? Futures.start(() -> node.volumes().ledger())
                : CompletableFuture.failedFuture(new CsiException("node " + asked
                        + " is not in this process, which runs node " + nodeId
                        + " only; use RemoteNodeGateway for a cluster of several nodes"));
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        Objects.requireNonNull(request, "request");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_EXPAND_VOLUME, request.pluginId(), request.externalVolumeId()),
                deadlines.of(Rpc.NODE_EXPAND_VOLUME),
                () -> node.volumes().expand(request));
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_GET_VOLUME_STATS, request.pluginId(), request.externalVolumeId()),
                deadlines.of(Rpc.NODE_GET_VOLUME_STATS),
                () -> node.volumes().stats(request));
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_GET_VOLUME_HEALTH, request.pluginId(), request.externalVolumeId()),
                deadlines.of(Rpc.NODE_GET_VOLUME_HEALTH),
                () -> node.volumes().health(request));
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        Objects.requireNonNull(request, "request");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_GET_STORAGE_HEALTH, request.pluginId(), null),
                deadlines.of(Rpc.NODE_GET_STORAGE_HEALTH),
                () -> node.volumes().storageHealth(request));
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return onNode(
                nodeId,
                new Subject(Rpc.NODE_GET_INFO, pluginId, null),
                NodeDeadlines.refresh(deadlines),
                () -> node.registry().refreshNodeInfo(pluginId));
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return onNode(
                nodeId,
                new Subject(Rpc.GET_PLUGIN_INFO, pluginId, null),
                deadlines.of(Rpc.GET_PLUGIN_INFO),
                () -> node.registry().pluginInfo(pluginId));
    }

    @Override
    public CompletableFuture<NodeReport> report(NodeId asked) {
        return asked.equals(nodeId)
                ? Futures.start(() -> node.volumes().report())
                : CompletableFuture.failedFuture(elsewhere(asked));
    }

    @Override
    public CompletableFuture<Void> forget(NodeId asked, NodeForget request) {
        Objects.requireNonNull(request, "request");
        return asked.equals(nodeId)
                ? Futures.start(() -> node.volumes()
                        .forgetUnmount(request.volume(), request.allocationId(), request.operator(), request.reason()))
                : CompletableFuture.failedFuture(elsewhere(asked));
    }

    private RemoteFailureException elsewhere(NodeId asked) {
        return new RemoteFailureException(
                "node " + asked + " is not in this process, which runs node " + nodeId
                        + " only; use RemoteNodeGateway for a cluster of several nodes",
                false);
    }

    /** The RPC, the plugin and the volume that a request to the node concerns. */
    private record Subject(
            Rpc rpc, PluginId plugin, @Nullable ExternalVolumeId volume) {}

    private <R> CompletableFuture<R> onNode(
            NodeId asked, Subject subject, Duration limit, Supplier<CompletableFuture<R>> work) {
        Objects.requireNonNull(asked, "nodeId");
        String volume = subject.volume() == null ? null : subject.volume().value();
        if (!asked.equals(nodeId)) {
            return CompletableFuture.failedFuture(notSent(
                    subject.rpc(),
                    subject.plugin(),
                    volume,
                    "node " + asked + " is not in this process, which runs node " + nodeId
                            + " only; use RemoteNodeGateway for a cluster of several nodes"));
        }
        return new Timeouts(environment.timer(), environment.executor())
                .limitOrCancel(
                        Futures.start(work),
                        limit,
                        answer -> answer.completeExceptionally(new CsiCallException(
                                subject.rpc(),
                                subject.plugin().value(),
                                volume,
                                StatusCode.DEADLINE_EXCEEDED,
                                CallOutcome.OUTCOME_UNKNOWN,
                                subject.rpc().csiName() + " on node " + nodeId + " was not over within "
                                        + Durations.text(limit)
                                        + ". Whether it took effect is not known: call again with the same fields.",
                                null)));
    }

    private static CsiCallException notSent(Rpc rpc, PluginId plugin, @Nullable String volume, String reason) {
        return new CsiCallException(
                rpc,
                plugin.value(),
                volume,
                StatusCode.UNAVAILABLE,
                CallOutcome.OUTCOME_UNKNOWN,
                rpc.csiName() + (volume == null ? "" : " for " + volume) + " was not sent: " + reason,
                null);
    }
}

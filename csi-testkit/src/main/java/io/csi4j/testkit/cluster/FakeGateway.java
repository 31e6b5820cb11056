package io.csi4j.testkit.cluster;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The gateway with which all servers call the plugins and agents of the nodes. A call to a node that does not answer
 * fails with UNAVAILABLE after a second.
 */
final class FakeGateway implements NodeGateway {
    private static final Duration UNREACHABLE_AFTER = Duration.ofSeconds(1);

    private final FakeCluster cluster;
    private final ClusterTime time;

    FakeGateway(FakeCluster cluster, ClusterTime time) {
        this.cluster = cluster;
        this.time = time;
    }

    /** Makes a call to a node; the call fails with UNAVAILABLE after a second if the node does not answer. */
    private <R> CompletableFuture<R> call(NodeId nodeId, Rpc rpc, Function<FakeNode, CompletableFuture<R>> call) {
        FakeNode node = cluster.findNode(nodeId);
        if (node != null && node.answers()) {
            return call.apply(node);
        }
        CompletableFuture<R> answer = new CompletableFuture<>();
        time.after(
                UNREACHABLE_AFTER,
                () -> answer.completeExceptionally(new CsiCallException(
                        rpc,
                        nodeId.toString(),
                        null,
                        StatusCode.UNAVAILABLE,
                        CallOutcome.of(rpc, StatusCode.UNAVAILABLE, false),
                        "node " + nodeId + " does not answer; call again when it is back",
                        null)));
        return answer;
    }

    /** Returns a proxy of a node's service: each call first checks whether the node answers at present. */
    private <S> S service(Class<S> type, NodeId nodeId, Function<FakeNode, S> service) {
        return type.cast(Proxy.newProxyInstance(
                FakeGateway.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(nodeId, Rpc.valueOf(constant(method.getName())), node -> {
                    try {
                        return (CompletableFuture<?>) method.invoke(service.apply(node), arguments);
                    } catch (InvocationTargetException e) {
                        return CompletableFuture.failedFuture(e.getCause());
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException("cannot call " + method, e);
                    }
                })));
    }

    /**
     * Converts the name of a service method to the name of the {@link Rpc} constant: {@code createVolume} to
     * {@code CREATE_VOLUME}.
     */
    private static String constant(String method) {
        return method.replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return service(
                ControllerService.class,
                instance.nodeId(),
                node -> node.client(instance.pluginId()).controller());
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        return service(
                GroupControllerService.class,
                instance.nodeId(),
                node -> node.client(instance.pluginId()).groupController());
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        return call(
                nodeId,
                Rpc.NODE_UNPUBLISH_VOLUME,
                node -> node.unmount(request.volume(), request.allocationId())
                        .thenApply(done -> NodeDetached.withOthers(node.uses(request.volume()))));
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return call(nodeId, Rpc.NODE_GET_INFO, node -> CompletableFuture.completedFuture(node.ledger()));
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return call(nodeId, Rpc.NODE_EXPAND_VOLUME, node -> node.expand(request));
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return call(
                nodeId,
                Rpc.GET_PLUGIN_INFO,
                node -> node.client(pluginId).identity().getPluginInfo());
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        return call(nodeId, Rpc.NODE_GET_INFO, node -> {
            node.reportPlugins();
            return CompletableFuture.completedFuture(null);
        });
    }
}

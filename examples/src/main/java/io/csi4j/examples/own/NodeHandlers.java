package io.csi4j.examples.own;

import com.sun.net.httpserver.HttpServer;
import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.node.transport.RelayedRequest;
import io.csi4j.node.transport.TransportCodec;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The node's side of the RPC: decodes the requests of the server, and encodes the answers. */
public final class NodeHandlers {
    private NodeHandlers() {}

    // DOC
    /**
     * Serves the requests to a node.
     *
     * @param node carries out the requests
     */
    public static void serve(HttpServer http, NodeId id, NodeGateway node) {
        handle(http, "detach", TransportCodec.DETACH, request -> node.detach(id, request), TransportCodec.DETACHED);
        handle(http, "expand", TransportCodec.EXPAND, request -> node.expand(id, request), TransportCodec.EXPANSION);
        HttpRpc.serve(http, "/node/ledger", request -> node.ledger(id).thenApply(TransportCodec.LEDGER::encode));
        handle(
                http,
                "stats",
                TransportCodec.VOLUME_QUERY,
                query -> node.volumeStats(id, query),
                TransportCodec.VOLUME_STATS);
        handle(
                http,
                "health",
                TransportCodec.VOLUME_QUERY,
                query -> node.volumeHealth(id, query),
                TransportCodec.VOLUME_HEALTH);
        handle(
                http,
                "storage",
                TransportCodec.STORAGE_QUERY,
                query -> node.storageHealth(id, query),
                TransportCodec.STORAGE_HEALTH);
        handle(
                http,
                "plugin",
                TransportCodec.PLUGIN,
                plugin -> node.pluginInfo(id, plugin),
                TransportCodec.PLUGIN_INFO);
    }

    private static <Q, A> void handle(
            HttpServer http,
            String path,
            TransportCodec<Q> request,
            Function<Q, CompletableFuture<A>> handler,
            TransportCodec<A> answer) {
        HttpRpc.serve(
                http,
                "/node/" + path,
                received -> handler.apply(request.decode(received.body())).thenApply(answer::encode));
    }
    // DOC

    /** Serves the calls to the controllers of this node's plugins. */
    static void serveControllers(HttpServer http, PluginRegistry plugins) {
        HttpRpc.serve(http, "/node/relay", received -> {
            RelayedRequest request = TransportCodec.RELAYED.decode(received.body());
            return client(plugins, request).relay().relay(request.call(), request.deadline());
        });
        HttpRpc.serve(http, "/node/page", received -> {
            RelayedRequest request = TransportCodec.RELAYED.decode(received.body());
            return client(plugins, request)
                    .relay()
                    .page(request.call(), request.deadline())
                    .thenApply(TransportCodec.PAGE::encode);
        });
    }

    private static CsiClient client(PluginRegistry plugins, RelayedRequest request) {
        return plugins.snapshot()
                .instance(request.instance())
                .orElseThrow(() -> HttpRpc.unavailable("there is no " + request.instance()))
                .connection()
                .client();
    }
}

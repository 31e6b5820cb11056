package io.csi4j.examples.own;

import com.sun.net.httpserver.HttpServer;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.testkit.contract.NodeGatewayContract;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The gateway over HTTP keeps the contract. */
class HttpGatewayContractTest implements NodeGatewayContract {
    private final Map<NodeId, URI> nodes = new ConcurrentHashMap<>();
    private HttpServer http;

    @Override
    public NodeGateway open(Duration deadline) {
        nodes.clear();
        return new HttpNodeGateway(nodes, deadline, instance -> Capabilities.unknown());
    }

    @Override
    public void connect(NodeGateway gateway, NodeId nodeId, NodeGateway node) throws IOException {
        http = OwnNode.listen(0);
        NodeHandlers.serve(http, nodeId, node);
        http.start();
        nodes.put(nodeId, URI.create("http://localhost:" + http.getAddress().getPort()));
    }

    @Override
    public void close(NodeGateway gateway) {
        if (http != null) {
            http.stop(0);
        }
    }
}

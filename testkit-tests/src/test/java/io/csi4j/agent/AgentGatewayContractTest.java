package io.csi4j.agent;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.testkit.contract.NodeGatewayContract;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The gateway to agents keeps the contract, over sockets and an agent whose volumes are those of the test. */
class AgentGatewayContractTest implements NodeGatewayContract {
    private @Nullable Ground ground;

    private Ground ground() {
        return Objects.requireNonNull(ground);
    }

    @Override
    public NodeGateway open(Duration deadline) throws IOException {
        // An engine that leads would send requests of its own.
        ground = Ground.withoutLeader();
        return ground().gateway(CallDeadlines.ofDefaults().withAll(deadline));
    }

    @Override
    public void connect(NodeGateway gateway, NodeId nodeId, NodeGateway node) throws IOException {
        Endpoint listen = ground().unix("agent-socket");
        Endpoint server = ground().unix("server");
        ground().start(ground().server().listenToAgent(server, nodeId));
        ground().start(NodeAgent.builder(nodeId, ground().path("agent"))
                .servers(List.of(server))
                .listen(listen)
                .environment(ground().environment)
                .volumeMounter(standard -> new GatewayMounter(nodeId, node)));
        ground().routes.put(nodeId, NodeRoute.direct(listen));
    }

    @Override
    public void close(NodeGateway gateway) {
        ground().close();
    }
}

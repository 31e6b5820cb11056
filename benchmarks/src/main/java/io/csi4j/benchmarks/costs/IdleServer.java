package io.csi4j.benchmarks.costs;

import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import java.nio.file.Path;
import java.util.Map;

/** A durable server, alone, that knows one node. */
final class IdleServer {
    static final NodeId NODE = NodeId.of("node-1");

    private IdleServer() {}

    /**
     * Serves until the end of the input.
     *
     * @param args the directory of the programs
     */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory.resolve("server")))
                .agents(NodeDirectory.of(Map.of(NODE, NodeRoute.direct(agent(directory)))), gateway -> gateway)
                .agentServer(agents -> agents.listenToAgent(endpoint(directory), NODE))
                .build()) {
            server.lifecycle().cluster().nodeReady(NODE).join();
            IdleProcess.serve();
        }
    }

    static Endpoint endpoint(Path directory) {
        return Endpoint.unix(directory.resolve("server/csi.sock"));
    }

    static Endpoint agent(Path directory) {
        return Endpoint.unix(directory.resolve("agent/csi.sock"));
    }
}

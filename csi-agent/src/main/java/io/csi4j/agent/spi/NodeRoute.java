package io.csi4j.agent.spi;

import io.csi4j.client.Endpoint;
import java.util.Objects;

/**
 * The route to the agent of a node.
 *
 * @param endpoint the address of the agent, or of a server that reaches the agent
 * @param viaServer whether the endpoint is the address of a server that forwards calls; this server has to reach the agent directly
 */
public record NodeRoute(Endpoint endpoint, boolean viaServer) {
    public NodeRoute {
        Objects.requireNonNull(endpoint, "endpoint");
    }

    /** Returns a route to the agent itself. */
    public static NodeRoute direct(Endpoint agent) {
        return new NodeRoute(agent, false);
    }

    /**
     * Returns a route through another server.
     *
     * @param server the address of an {@code AgentServer} that reaches the agent directly
     */
    public static NodeRoute via(Endpoint server) {
        return new NodeRoute(server, true);
    }
}

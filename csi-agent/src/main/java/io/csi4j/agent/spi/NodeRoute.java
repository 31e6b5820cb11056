package io.csi4j.agent.spi;

import io.csi4j.client.Endpoint;
import java.util.Objects;

/**
 * The way to the agent of a node.
 *
 * @param endpoint where the agent listens, or a server that reaches it
 * @param viaServer whether it is a server, which passes calls on; it has to reach the agent by itself
 */
public record NodeRoute(Endpoint endpoint, boolean viaServer) {
    /** Checks that the endpoint is there. */
    public NodeRoute {
        Objects.requireNonNull(endpoint, "endpoint");
    }

    /**
     * Straight to the agent.
     *
     * @param agent where it listens
     * @return the route
     */
    public static NodeRoute direct(Endpoint agent) {
        return new NodeRoute(agent, false);
    }

    /**
     * Over another server.
     *
     * @param server where an {@code AgentServer} listens that reaches the agent directly
     * @return the route
     */
    public static NodeRoute via(Endpoint server) {
        return new NodeRoute(server, true);
    }
}

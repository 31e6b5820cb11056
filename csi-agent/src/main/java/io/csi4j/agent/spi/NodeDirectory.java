package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the routes to the agents of nodes. Every call to a node queries the directory, so the directory must answer
 * from memory. Thread-safe.
 */
@FunctionalInterface
public interface NodeDirectory {
    /** Returns the route to the agent of a node; empty if no route is known. Calls to the node then fail without being sent. */
    Optional<NodeRoute> route(NodeId nodeId);

    /** Returns a directory with fixed routes. */
    static NodeDirectory of(Map<NodeId, NodeRoute> routes) {
        Map<NodeId, NodeRoute> fixed = Map.copyOf(routes);
        return nodeId -> Optional.ofNullable(fixed.get(nodeId));
    }
}

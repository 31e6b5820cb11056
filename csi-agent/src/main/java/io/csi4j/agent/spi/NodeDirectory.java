package io.csi4j.agent.spi;

import io.csi4j.core.id.NodeId;
import java.util.Map;
import java.util.Optional;

/** Finds the routes to the agents of nodes. The gateway asks it at every call, so it answers from memory. Safe for use by many threads. */
@FunctionalInterface
public interface NodeDirectory {
    /**
     * The way to the agent of a node.
     *
     * @param nodeId the node
     * @return empty: none is known, and calls fail without being sent
     */
    Optional<NodeRoute> route(NodeId nodeId);

    /**
     * A directory that does not change.
     *
     * @param routes all there are
     * @return the directory
     */
    static NodeDirectory of(Map<NodeId, NodeRoute> routes) {
        Map<NodeId, NodeRoute> fixed = Map.copyOf(routes);
        return nodeId -> Optional.ofNullable(fixed.get(nodeId));
    }
}

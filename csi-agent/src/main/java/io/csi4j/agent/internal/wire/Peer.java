package io.csi4j.agent.internal.wire;

import io.csi4j.core.id.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a service.
 *
 * @param server whether the caller is a server
 * @param node the node of the agent; null: the caller is not an agent
 * @param name the caller's name for messages
 */
public record Peer(boolean server, @Nullable NodeId node, String name) {
    public static Peer aServer(String name) {
        return new Peer(true, null, name);
    }

    public static Peer agentOf(NodeId node) {
        return new Peer(false, node, "the agent of node " + node);
    }

    public boolean isAgentOf(NodeId id) {
        return id.equals(node);
    }
}

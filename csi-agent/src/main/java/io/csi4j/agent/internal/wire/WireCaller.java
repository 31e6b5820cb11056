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
public record WireCaller(boolean server, @Nullable NodeId node, String name) {
    public static WireCaller aServer(String name) {
        return new WireCaller(true, null, name);
    }

    public static WireCaller agentOf(NodeId node) {
        return new WireCaller(false, node, "the agent of node " + node);
    }

    public boolean isAgentOf(NodeId id) {
        return id.equals(node);
    }
}

package io.csi4j.core.spi;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of a node's status in the state, or a new node.
 *
 * @param status the new status
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record NodeEvent(NodeId nodeId, NodeStatus status, long index, Instant at) {
    public NodeEvent {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(at, "at");
    }
}

package io.csi4j.core.spi;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/**
 * The status of a node changed in the state, or the node is new there.
 *
 * @param status its status now
 * @param index the index of the state at which it can be seen; it may be a later one's
 * @param at when it was proposed
 */
public record NodeEvent(NodeId nodeId, NodeStatus status, long index, Instant at) {
    public NodeEvent {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(at, "at");
    }
}

package io.csi4j.core.cluster;

import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/**
 * A node of the host.
 *
 * @param id its id
 * @param status what the host says about it
 * @param since since when
 * @param reason why, for an operator; possibly empty
 * @param modifyIndex the index of the last command that changed it
 */
public record Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex) {
    /** Checks that all parts are there. */
    public Node {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(reason, "reason");
    }
}

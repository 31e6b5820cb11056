package io.csi4j.core.cluster;

import io.csi4j.core.csi.Text;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/**
 * A node of the host.
 *
 * @param status the status that the host reported
 * @param since the time at which the node got this status
 * @param reason the reason for the status, for an operator; possibly empty
 * @param modifyIndex the index of the last command that changed the status
 * @param fingerprint the number of the newest applied report of the node's plugins; 0 if none had a number
 */
public record Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex, long fingerprint) {
    public Node {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(since, "since");
        Text.checked("Node: reason", reason);
    }

    /**
     * Creates a node that has not reported its plugins yet.
     *
     * @param status the status that the host reported
     * @param since the time at which the node got this status
     * @param reason the reason for the status, for an operator; possibly empty
     * @param modifyIndex the index of the last command that changed the status
     */
    public Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex) {
        this(id, status, since, reason, modifyIndex, 0);
    }

    /**
     * Returns this node with the number of a newer fingerprint, which is a report of the node's plugins.
     *
     * @param order the number of the fingerprint
     */
    public Node fingerprinted(long order) {
        return new Node(id, status, since, reason, modifyIndex, order);
    }
}

package io.csi4j.core.cluster;

import io.csi4j.core.csi.Text;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/**
 * A node of the host.
 *
 * @param status what the host says about it
 * @param since since when
 * @param reason why, for an operator; possibly empty
 * @param modifyIndex the index of the last command that changed what the host says about it
 * @param fingerprint the order of the newest fingerprint that was applied; 0: none had one
 */
public record Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex, long fingerprint) {
    public Node {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(since, "since");
        Text.checked("Node: reason", reason);
    }

    /**
     * A node that told nothing of its plugins yet.
     *
     * @param status what the host says about it
     * @param since since when
     * @param reason why, for an operator; possibly empty
     * @param modifyIndex the index of the last command that changed it
     */
    public Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex) {
        this(id, status, since, reason, modifyIndex, 0);
    }

    /**
     * The same node after a fingerprint.
     *
     * @param order the order of the fingerprint
     * @return the node that remembers it
     */
    public Node fingerprinted(long order) {
        return new Node(id, status, since, reason, modifyIndex, order);
    }
}

package io.csi4j.core.cluster;

/** The status of a node, as reported by the host. */
public enum NodeStatus {
    /** The node is connected to the host. */
    READY,
    /** The host has lost contact with the node; its workloads may still run. */
    DISCONNECTED,
    /** The host believes that the node is down, without proof; its workloads may still run. */
    DOWN,
    /** The host guarantees that the node cannot reach storage any more. */
    FENCED,
    /**
     * The host has removed the node permanently; the row stays until the last claim and attachment on the node is
     * freed.
     */
    GONE;

    /** Returns whether the host guarantees that the node cannot reach storage any more: true for FENCED and GONE. */
    public boolean lost() {
        return this == FENCED || this == GONE;
    }
}

package io.csi4j.core.cluster;

/** What the host says about a node. */
public enum NodeStatus {
    /** It answers. */
    READY,
    /** It is not heard of; its workloads may go on. */
    DISCONNECTED,
    /** It is down as far as the host can tell; that is no proof. */
    DOWN,
    /** The host made sure that nothing on it can reach storage any more. */
    FENCED,
    /** The host removed it for good; kept until the last claim and attachment on it is freed. */
    GONE;

    /**
     * Whether nothing on the node can reach storage any more, by the host's word (I3).
     *
     * @return true for FENCED and GONE
     */
    public boolean lost() {
        return this == FENCED || this == GONE;
    }
}

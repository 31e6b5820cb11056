package io.csi4j.core.csi;

/** The number of nodes and paths that may use a volume at the same time, for reading or writing (R96). */
public enum AccessMode implements WireEnum {
    /** A number that this version does not know. A response may contain it; a request never does. */
    UNKNOWN(0),
    /** Read and write on one node. */
    SINGLE_NODE_WRITER(1),
    /** Read only on one node. */
    SINGLE_NODE_READER_ONLY(2),
    /** Read only on many nodes. */
    MULTI_NODE_READER_ONLY(3),
    /** Read and write on one node, read only on the others. */
    MULTI_NODE_SINGLE_WRITER(4),
    /** Read and write on many nodes. */
    MULTI_NODE_MULTI_WRITER(5),
    /** Read and write at one path of one node; alpha, needs SINGLE_NODE_MULTI_WRITER. */
    SINGLE_NODE_SINGLE_WRITER(6),
    /** Read and write at many paths of one node; alpha, needs SINGLE_NODE_MULTI_WRITER. */
    SINGLE_NODE_MULTI_WRITER(7);

    private final int number;

    AccessMode(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** Returns whether the volume may be published on several nodes at a time: true for the three MULTI_NODE modes. */
    public boolean multiNode() {
        return this == MULTI_NODE_READER_ONLY || this == MULTI_NODE_SINGLE_WRITER || this == MULTI_NODE_MULTI_WRITER;
    }

    /**
     * Returns whether the volume may be published at only one path of its node (R89): true for SINGLE_NODE_WRITER,
     * SINGLE_NODE_READER_ONLY and SINGLE_NODE_SINGLE_WRITER.
     */
    public boolean onePath() {
        return !multiNode() && this != SINGLE_NODE_MULTI_WRITER && this != UNKNOWN;
    }

    /** Returns whether the mode permits reading only: true for the two READER_ONLY modes. */
    public boolean readerOnly() {
        return this == SINGLE_NODE_READER_ONLY || this == MULTI_NODE_READER_ONLY;
    }
}

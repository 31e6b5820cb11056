package io.csi4j.core.csi;

/** Who may use a volume at the same time, and how (R96). */
public enum AccessMode implements WireEnum {
    /** A number this version does not know. Plugins may answer it; a request never carries it. */
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

    /**
     * Whether the volume may be published on more than one node at a time.
     *
     * @return true for the three MULTI_NODE modes
     */
    public boolean multiNode() {
        return this == MULTI_NODE_READER_ONLY || this == MULTI_NODE_SINGLE_WRITER || this == MULTI_NODE_MULTI_WRITER;
    }

    /**
     * Whether a volume may be published at one path of its node only (R89).
     *
     * @return true for SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY and SINGLE_NODE_SINGLE_WRITER
     */
    public boolean onePath() {
        return !multiNode() && this != SINGLE_NODE_MULTI_WRITER && this != UNKNOWN;
    }

    /**
     * Whether nobody may write.
     *
     * @return true for the two READER_ONLY modes
     */
    public boolean readerOnly() {
        return this == SINGLE_NODE_READER_ONLY || this == MULTI_NODE_READER_ONLY;
    }
}

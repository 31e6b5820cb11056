package io.csi4j.core.csi;

/** Says how many nodes and paths may use a volume at the same time, for reading or writing (R96). */
public enum VolumeAccessMode implements WireEnum {
    /**
     * An access mode that this version of csi4j does not know. A response may contain this value, but a request never
     * does.
     */
    UNKNOWN(0),
    /** One node may read and write. */
    SINGLE_NODE_WRITER(1),
    /** One node may read. */
    SINGLE_NODE_READER_ONLY(2),
    /** Many nodes may read. */
    MULTI_NODE_READER_ONLY(3),
    /** Many nodes may read, and one of them may also write. */
    MULTI_NODE_SINGLE_WRITER(4),
    /** Many nodes may read and write. */
    MULTI_NODE_MULTI_WRITER(5),
    /** One path on one node may read and write. Alpha; the plugin needs the capability SINGLE_NODE_MULTI_WRITER. */
    SINGLE_NODE_SINGLE_WRITER(6),
    /** Many paths on one node may read and write. Alpha; the plugin needs the capability SINGLE_NODE_MULTI_WRITER. */
    SINGLE_NODE_MULTI_WRITER(7);

    private final int number;

    VolumeAccessMode(int number) {
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

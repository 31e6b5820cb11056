package io.csi4j.testkit.internal.storage;

/** Which blocks of a snapshot hold something, and which differ from another snapshot. */
public interface BlockMap extends AutoCloseable {
    /** The size of the blocks that are looked at. */
    int BLOCK_BYTES = 64 << 10;

    /**
     * Whether a block holds something else than zeros.
     *
     * @param number of the block
     * @return false also behind the end
     */
    boolean allocated(long number);

    /**
     * Whether a block differs.
     *
     * @param base to compare with; made by the same storage
     * @param number of the block
     * @return whether it differs; what is behind the end counts as zeros
     */
    boolean differs(BlockMap base, long number);

    @Override
    void close();
}

package io.csi4j.testkit.internal.storage;

/** The allocated blocks of a snapshot, and the blocks that differ from another snapshot. */
public interface BlockMap extends AutoCloseable {
    /** The size of a block, in bytes. */
    int BLOCK_BYTES = 64 << 10;

    /**
     * Returns whether a block contains anything but zeros; false beyond the end.
     *
     * @param number the block's number
     */
    boolean allocated(long number);

    /**
     * Returns whether a block differs from the same block of another snapshot; blocks beyond the end count as zeros.
     *
     * @param base the other snapshot, of the same storage
     * @param number the block's number
     */
    boolean differs(BlockMap base, long number);

    @Override
    void close();
}

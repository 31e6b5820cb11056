package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.testkit.internal.storage.BlockMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** Joins adjacent blocks into ranges in ascending order (R101), and returns the ranges page by page. */
final class BlockRuns {
    private final long capacity;
    private final LongPredicate wanted;
    private final int pageSize;
    private long next;

    BlockRuns(long capacity, long from, int pageSize, LongPredicate wanted) {
        this.capacity = capacity;
        // Rounds down to the start of a block, so that a resumed stream has no gap; if the offset is not below the
        // capacity, no block is left to return.
        this.next = from < capacity ? from / BlockMap.BLOCK_BYTES : Long.MAX_VALUE / BlockMap.BLOCK_BYTES;
        this.pageSize = pageSize;
        this.wanted = wanted;
    }

    boolean done() {
        return next * BlockMap.BLOCK_BYTES >= capacity;
    }

    List<BlockMetadata> page() {
        List<BlockMetadata> ranges = new ArrayList<>();
        while (!done() && ranges.size() < pageSize) {
            if (!wanted.test(next)) {
                next++;
                continue;
            }
            long first = next * BlockMap.BLOCK_BYTES;
            while (!done() && wanted.test(next)) {
                next++;
            }
            long end = Math.min(capacity, next * BlockMap.BLOCK_BYTES);
            ranges.add(BlockMetadata.newBuilder()
                    .setByteOffset(first)
                    .setSizeBytes(end - first)
                    .build());
        }
        return ranges;
    }
}

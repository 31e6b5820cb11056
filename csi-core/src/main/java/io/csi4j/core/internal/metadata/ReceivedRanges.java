package io.csi4j.core.internal.metadata;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of a snapshot's metadata that were received so far, over all streams. Checks the order of ranges (R101),
 * and knows which ranges a resumed stream may repeat. Not thread-safe.
 */
final class ReceivedRanges {
    private @Nullable BlockMetadataType type;
    private long volumeCapacityBytes;
    /** The end of the last range in the current stream. */
    private long endInStream;
    /** The end of the last range that was delivered. */
    private long end;

    /**
     * Prepares for the first range of a new stream. A plugin may round the requested offset down, so that the first
     * ranges of the stream repeat earlier ones.
     */
    void streamBegins() {
        endInStream = 0;
    }

    /** Returns the offset at which a new stream resumes: the end of the last delivered range, or 0 at the beginning. */
    long end() {
        return end;
    }

    /**
     * Returns whether the received ranges reach the end of the volume. If the stream breaks after that, no range is
     * lost.
     */
    boolean reachedTheEnd() {
        return type != null && volumeCapacityBytes > 0 && end >= volumeCapacityBytes;
    }

    /** Describes how a message breaks a rule about ranges (R101); null if the message follows all rules. */
    @Nullable String problem(BlockMetadataType messageType, long capacityBytes, List<BlockMetadata> ranges) {
        if (type != null && messageType != type) {
            return "blockMetadataType changed from " + type + " to " + messageType;
        }
        if (type != null && capacityBytes != volumeCapacityBytes) {
            return "volumeCapacityBytes changed from " + volumeCapacityBytes + " to " + capacityBytes;
        }
        long before = endInStream;
        for (BlockMetadata range : ranges) {
            if (range.byteOffset() < 0 || range.sizeBytes() <= 0 || range.endOffset() < 0) {
                return "the range of " + range.sizeBytes() + " bytes at " + range.byteOffset() + " is no range";
            }
            if (capacityBytes > 0 && range.byteOffset() >= capacityBytes) {
                return "the range at " + range.byteOffset() + " begins after the end of the volume at " + capacityBytes;
            }
            if (range.byteOffset() < before) {
                return "the range at " + range.byteOffset() + " begins before " + before
                        + ", where the one before it ended";
            }
            before = range.endOffset();
        }
        return null;
    }

    /** Adds the ranges of a valid message, and returns the ranges and parts of ranges that are new. */
    List<BlockMetadata> add(BlockMetadataType messageType, long capacityBytes, List<BlockMetadata> ranges) {
        type = messageType;
        volumeCapacityBytes = capacityBytes;
        List<BlockMetadata> fresh = new ArrayList<>(ranges.size());
        for (BlockMetadata range : ranges) {
            endInStream = range.endOffset();
            if (range.endOffset() > end) {
                long from = Math.max(range.byteOffset(), end);
                fresh.add(from == range.byteOffset() ? range : new BlockMetadata(from, range.endOffset() - from));
                end = range.endOffset();
            }
        }
        return fresh;
    }
}

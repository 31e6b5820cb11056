package io.csi4j.core.metadata;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a snapshot's metadata, over all streams it took. Knows the order that R101 demands
 * and what a resumed stream may repeat. Not safe for use by several threads.
 */
final class ReceivedRanges {
    private @Nullable BlockMetadataType type;
    private long volumeCapacityBytes;
    /** The end of the last range in the present stream. */
    private long endInStream;
    /** The end of the last range that was passed on. */
    private long end;

    /** A stream begins. A plugin may round its offset down, so what comes first may have come before. */
    void streamBegins() {
        endInStream = 0;
    }

    /** Where to resume: behind the last range that was passed on; 0 if there was none. */
    long end() {
        return end;
    }

    /** Whether no range can follow: a stream that breaks now has lost nothing but its end. */
    boolean reachedTheEnd() {
        return type != null && volumeCapacityBytes > 0 && end >= volumeCapacityBytes;
    }

    /** What is wrong with a message (R101), or null. */
    @Nullable String problem(BlockMetadataType messageType, long capacityBytes, List<BlockMetadata> ranges) {
        if (type != null && messageType != type) {
            return "blockMetadataType changed from " + type + " to " + messageType;
        }
        if (type != null && capacityBytes != volumeCapacityBytes) {
            return "volumeCapacityBytes changed from " + volumeCapacityBytes + " to " + capacityBytes;
        }
        long before = endInStream;
        for (BlockMetadata range : ranges) {
            if (range.byteOffset() < 0 || range.sizeBytes() < 0 || range.endOffset() < 0) {
                return "the range of " + range.sizeBytes() + " bytes at " + range.byteOffset() + " is no range";
            }
            if (range.byteOffset() < before) {
                return "the range at " + range.byteOffset() + " begins before " + before
                        + ", where the one before it ended";
            }
            before = range.endOffset();
        }
        return null;
    }

    /** Takes note of a message without problems, and tells which of its ranges, or parts of them, are new. */
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

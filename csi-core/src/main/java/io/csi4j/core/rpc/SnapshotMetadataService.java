package io.csi4j.core.rpc;

import java.util.concurrent.Flow;

/**
 * Streams the allocated blocks of a snapshot, or the blocks that differ from an earlier snapshot. Only plugins with the
 * capability SNAPSHOT_METADATA_SERVICE serve these calls.
 *
 * <p>A publisher begins a stream for each subscriber, sends no more messages than were requested, and ends with {@code
 * onComplete} only if the whole response was received (R101). A stream that fails ends with a {@link
 * io.csi4j.core.call.CsiCallException}. To resume it, send the request again with the {@link
 * io.csi4j.core.csi.BlockMetadata#endOffset() end} of the last range as the starting offset (R102).
 */
public interface SnapshotMetadataService {
    /**
     * Streams the allocated ranges of a snapshot (R101-R103).
     *
     * @return a stream for each subscriber
     */
    Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request);

    /**
     * Streams the ranges that differ between two snapshots of one volume (R101-R103).
     *
     * @return a stream for each subscriber
     */
    Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request);
}

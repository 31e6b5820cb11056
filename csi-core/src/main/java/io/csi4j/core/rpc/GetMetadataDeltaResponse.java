package io.csi4j.core.rpc;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import java.util.List;
import java.util.Objects;

/**
 * One message of the stream of ranges that differ between two snapshots (CSI {@code GetMetadataDelta}, R101).
 *
 * @param blockMetadataType whether all ranges have the same size; the same in all messages of a stream
 * @param volumeCapacityBytes the size of the volume in bytes; the same in all messages of a stream
 * @param blockMetadata the ranges, ascending and without overlap
 */
public record GetMetadataDeltaResponse(
        BlockMetadataType blockMetadataType, long volumeCapacityBytes, List<BlockMetadata> blockMetadata) {
    public GetMetadataDeltaResponse {
        Objects.requireNonNull(blockMetadataType, "blockMetadataType");
        blockMetadata = List.copyOf(Objects.requireNonNull(blockMetadata, "blockMetadata"));
    }
}

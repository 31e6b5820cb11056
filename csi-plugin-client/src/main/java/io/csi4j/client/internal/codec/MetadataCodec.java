package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.values.internal.WireNumbers;
import java.util.List;

/** Encodes and decodes the SnapshotMetadata service (R101-R103). */
public final class MetadataCodec {
    private static final WireNumbers<BlockMetadataType> TYPES = new WireNumbers<>(BlockMetadataType.values());

    private MetadataCodec() {}

    public static io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest write(GetMetadataAllocatedRequest request) {
        return io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest.newBuilder()
                .setSnapshotId(request.snapshotId().value())
                .setStartingOffset(request.startingOffset())
                .setMaxResults(request.maxResults())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static GetMetadataAllocatedResponse read(io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse wire) {
        return new GetMetadataAllocatedResponse(
                TYPES.of(wire.getBlockMetadataTypeValue()),
                AnswerCheck.notNegative("volumeCapacityBytes", wire.getVolumeCapacityBytes()),
                ranges(wire.getBlockMetadataList()));
    }

    public static io.csi4j.proto.csi.v1.GetMetadataDeltaRequest write(GetMetadataDeltaRequest request) {
        return io.csi4j.proto.csi.v1.GetMetadataDeltaRequest.newBuilder()
                .setBaseSnapshotId(request.baseSnapshotId().value())
                .setTargetSnapshotId(request.targetSnapshotId().value())
                .setStartingOffset(request.startingOffset())
                .setMaxResults(request.maxResults())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static GetMetadataDeltaResponse read(io.csi4j.proto.csi.v1.GetMetadataDeltaResponse wire) {
        return new GetMetadataDeltaResponse(
                TYPES.of(wire.getBlockMetadataTypeValue()),
                AnswerCheck.notNegative("volumeCapacityBytes", wire.getVolumeCapacityBytes()),
                ranges(wire.getBlockMetadataList()));
    }

    private static List<BlockMetadata> ranges(List<io.csi4j.proto.csi.v1.BlockMetadata> wire) {
        return AnswerCheck.each("blockMetadata", wire, MetadataCodec::range);
    }

    private static BlockMetadata range(io.csi4j.proto.csi.v1.BlockMetadata wire) {
        long byteOffset = AnswerCheck.notNegative("byteOffset", wire.getByteOffset());
        long sizeBytes = AnswerCheck.notNegative("sizeBytes", wire.getSizeBytes());
        if (byteOffset + sizeBytes < 0) {
            throw new UnusableAnswerException(
                    "sizeBytes", "is " + sizeBytes + ", which ends beyond any volume from the offset " + byteOffset);
        }
        return new BlockMetadata(byteOffset, sizeBytes);
    }
}

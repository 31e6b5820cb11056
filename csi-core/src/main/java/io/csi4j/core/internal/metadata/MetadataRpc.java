package io.csi4j.core.internal.metadata;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * A common interface of the two metadata RPCs, GetMetadataAllocated and GetMetadataDelta. The request and response
 * types of these RPCs have no common interface themselves.
 */
interface MetadataRpc<Q, R> {
    Rpc rpc();

    String snapshotIdText(Q request);

    long startingOffset(Q request);

    /** Returns the same request with another starting offset (R102). */
    Q from(Q request, long startingOffset);

    Flow.Publisher<R> open(SnapshotMetadataService service, Q request);

    BlockMetadataType type(R message);

    long volumeCapacityBytes(R message);

    List<BlockMetadata> ranges(R message);

    R with(R message, List<BlockMetadata> ranges);

    /**
     * Returns the exception for a plugin that breaks the order of ranges (R101). The ranges that were received before
     * are unreliable, too.
     */
    default CsiCallException broken(Q request, String plugin, String problem) {
        return new CsiCallException(
                rpc(),
                plugin,
                snapshotIdText(request),
                StatusCode.INTERNAL,
                CallOutcome.RETRY_AFTER_CAUSE,
                rpc().csiName() + " for " + snapshotIdText(request) + " at plugin " + plugin
                        + " failed (INTERNAL): the plugin's answer breaks the rules of CSI (R101): " + problem
                        + ". Do not rely on the ranges received so far, copy the whole volume instead, and report this"
                        + " to the plugin's vendor.",
                null);
    }

    MetadataRpc<GetMetadataAllocatedRequest, GetMetadataAllocatedResponse> ALLOCATED = new MetadataRpc<>() {
        @Override
        public Rpc rpc() {
            return Rpc.GET_METADATA_ALLOCATED;
        }

        @Override
        public String snapshotIdText(GetMetadataAllocatedRequest request) {
            return request.snapshotId().value();
        }

        @Override
        public long startingOffset(GetMetadataAllocatedRequest request) {
            return request.startingOffset();
        }

        @Override
        public GetMetadataAllocatedRequest from(GetMetadataAllocatedRequest request, long startingOffset) {
            return request.toBuilder().startingOffset(startingOffset).build();
        }

        @Override
        public Flow.Publisher<GetMetadataAllocatedResponse> open(
                SnapshotMetadataService service, GetMetadataAllocatedRequest request) {
            return service.getMetadataAllocated(request);
        }

        @Override
        public BlockMetadataType type(GetMetadataAllocatedResponse message) {
            return message.blockMetadataType();
        }

        @Override
        public long volumeCapacityBytes(GetMetadataAllocatedResponse message) {
            return message.volumeCapacityBytes();
        }

        @Override
        public List<BlockMetadata> ranges(GetMetadataAllocatedResponse message) {
            return message.blockMetadata();
        }

        @Override
        public GetMetadataAllocatedResponse with(GetMetadataAllocatedResponse message, List<BlockMetadata> ranges) {
            return new GetMetadataAllocatedResponse(message.blockMetadataType(), message.volumeCapacityBytes(), ranges);
        }
    };

    MetadataRpc<GetMetadataDeltaRequest, GetMetadataDeltaResponse> DELTA = new MetadataRpc<>() {
        @Override
        public Rpc rpc() {
            return Rpc.GET_METADATA_DELTA;
        }

        @Override
        public String snapshotIdText(GetMetadataDeltaRequest request) {
            return request.targetSnapshotId().value();
        }

        @Override
        public long startingOffset(GetMetadataDeltaRequest request) {
            return request.startingOffset();
        }

        @Override
        public GetMetadataDeltaRequest from(GetMetadataDeltaRequest request, long startingOffset) {
            return request.toBuilder().startingOffset(startingOffset).build();
        }

        @Override
        public Flow.Publisher<GetMetadataDeltaResponse> open(
                SnapshotMetadataService service, GetMetadataDeltaRequest request) {
            return service.getMetadataDelta(request);
        }

        @Override
        public BlockMetadataType type(GetMetadataDeltaResponse message) {
            return message.blockMetadataType();
        }

        @Override
        public long volumeCapacityBytes(GetMetadataDeltaResponse message) {
            return message.volumeCapacityBytes();
        }

        @Override
        public List<BlockMetadata> ranges(GetMetadataDeltaResponse message) {
            return message.blockMetadata();
        }

        @Override
        public GetMetadataDeltaResponse with(GetMetadataDeltaResponse message, List<BlockMetadata> ranges) {
            return new GetMetadataDeltaResponse(message.blockMetadataType(), message.volumeCapacityBytes(), ranges);
        }
    };
}

package io.csi4j.client;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import java.util.concurrent.Flow;

/** The SnapshotMetadata service over the wire. */
final class SnapshotMetadataClient implements SnapshotMetadataService {
    private final ServiceCalls calls;

    SnapshotMetadataClient(ServiceCalls calls) {
        this.calls = calls;
    }

    @Override
    public Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request) {
        io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest wire = MetadataCodec.write(request);
        return calls.stream(
                request,
                RpcCall.about(
                        request.snapshotId().value(),
                        Rpc.GET_METADATA_ALLOCATED,
                        SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                MetadataCodec::read);
    }

    @Override
    public Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request) {
        io.csi4j.proto.csi.v1.GetMetadataDeltaRequest wire = MetadataCodec.write(request);
        return calls.stream(
                request,
                RpcCall.about(
                        request.targetSnapshotId().value(),
                        Rpc.GET_METADATA_DELTA,
                        SnapshotMetadataGrpc.getGetMetadataDeltaMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                MetadataCodec::read);
    }
}

package io.csi4j.client.internal.service;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.codec.MetadataCodec;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import java.util.concurrent.Flow;

/** The SnapshotMetadata service over gRPC. */
public final class SnapshotMetadataClient implements SnapshotMetadataService {
    private final ServiceCalls calls;

    public SnapshotMetadataClient(ServiceCalls calls) {
        this.calls = calls;
    }

    public static RpcCall<
                    io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest,
                    io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse>
            call(GetMetadataAllocatedRequest request) {
        io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest wire = MetadataCodec.write(request);
        return RpcCall.about(
                request.snapshotId().value(),
                Rpc.GET_METADATA_ALLOCATED,
                SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
                wire,
                () -> SensitiveFields.of(wire));
    }

    public static RpcCall<io.csi4j.proto.csi.v1.GetMetadataDeltaRequest, io.csi4j.proto.csi.v1.GetMetadataDeltaResponse>
            call(GetMetadataDeltaRequest request) {
        io.csi4j.proto.csi.v1.GetMetadataDeltaRequest wire = MetadataCodec.write(request);
        return RpcCall.about(
                request.targetSnapshotId().value(),
                Rpc.GET_METADATA_DELTA,
                SnapshotMetadataGrpc.getGetMetadataDeltaMethod(),
                wire,
                () -> SensitiveFields.of(wire));
    }

    @Override
    public Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request) {
        return calls.stream(request, call(request), MetadataCodec::read);
    }

    @Override
    public Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request) {
        return calls.stream(request, call(request), MetadataCodec::read);
    }
}

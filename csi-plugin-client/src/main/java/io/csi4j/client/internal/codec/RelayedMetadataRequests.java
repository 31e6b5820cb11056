package io.csi4j.client.internal.codec;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RelayedRequests;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;

/** Decodes relayed requests of the SnapshotMetadata service; see {@link RelayedRequests}. */
public final class RelayedMetadataRequests {
    private RelayedMetadataRequests() {}

    public static CsiRequest read(Rpc rpc, Message wire, RequestReader in) {
        return switch (rpc) {
            case GET_METADATA_ALLOCATED -> allocated((io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest) wire, in);
            case GET_METADATA_DELTA -> delta((io.csi4j.proto.csi.v1.GetMetadataDeltaRequest) wire, in);
            default -> throw new IllegalArgumentException(rpc.csiName() + " is not of the SnapshotMetadata service");
        };
    }

    private static CsiRequest allocated(io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest wire, RequestReader in) {
        GetMetadataAllocatedRequest.Builder request = GetMetadataAllocatedRequest.builder(
                        in.id("snapshotId", wire.getSnapshotId(), SnapshotId::of))
                .startingOffset(wire.getStartingOffset())
                .maxResults(wire.getMaxResults())
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest delta(io.csi4j.proto.csi.v1.GetMetadataDeltaRequest wire, RequestReader in) {
        GetMetadataDeltaRequest.Builder request = GetMetadataDeltaRequest.builder(
                        in.id("baseSnapshotId", wire.getBaseSnapshotId(), SnapshotId::of),
                        in.id("targetSnapshotId", wire.getTargetSnapshotId(), SnapshotId::of))
                .startingOffset(wire.getStartingOffset())
                .maxResults(wire.getMaxResults())
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }
}

package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;

/** Reads which blocks of a snapshot are allocated, and which differ between two snapshots (R101-R103). */
final class SnapshotBlocks {
    private final Session session;

    SnapshotBlocks(Session session) {
        this.session = session;
    }

    void allocated(Snapshot snapshot) {
        GetMetadataAllocatedRequest request = GetMetadataAllocatedRequest.builder(snapshot.snapshotId())
                .secrets(session.options().secrets())
                .build();
        session.steps()
                .call(
                        Rpc.GET_METADATA_ALLOCATED,
                        () -> BlockRanges.collect(
                                session.plugin().snapshotMetadata().getMetadataAllocated(request),
                                GetMetadataAllocatedResponse::blockMetadata),
                        BlockRanges.Total::text);
    }

    void changed(Snapshot base, Snapshot target) {
        GetMetadataDeltaRequest request = GetMetadataDeltaRequest.builder(base.snapshotId(), target.snapshotId())
                .secrets(session.options().secrets())
                .build();
        session.steps()
                .call(
                        Rpc.GET_METADATA_DELTA,
                        () -> BlockRanges.collect(
                                session.plugin().snapshotMetadata().getMetadataDelta(request),
                                GetMetadataDeltaResponse::blockMetadata),
                        BlockRanges.Total::text);
    }
}

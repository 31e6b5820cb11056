package io.csi4j.core.metadata;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import java.util.concurrent.CompletableFuture;

/**
 * Snapshot metadata in pages, for transports with one response for each request. A plugin streams the metadata. Each
 * page is the beginning of such a stream, and the next page begins at the end of the last range (R102). No state is
 * kept between pages, so a page whose response was lost may be requested again. Thread-safe.
 */
public interface MetadataPages {
    /**
     * Returns allocated ranges of a snapshot, from the offset of the request (R101-R103).
     *
     * @return the first ranges; fails with a {@link CsiCallException}, whose outcome says how to continue
     */
    CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(GetMetadataAllocatedRequest request);

    /**
     * Returns ranges that differ between two snapshots, from the offset of the request (R101-R103).
     *
     * @return the first ranges; fails with a {@link CsiCallException}, whose outcome says how to continue
     */
    CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request);

    /**
     * Returns an implementation for a transport that does not support snapshot metadata: each request fails with
     * UNIMPLEMENTED, and nothing is sent.
     *
     * @param plugin the plugin's name for exceptions
     */
    static MetadataPages unsupported(String plugin) {
        return new MetadataPages() {
            @Override
            public CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(
                    GetMetadataAllocatedRequest request) {
                return refused(Rpc.GET_METADATA_ALLOCATED, request.snapshotId().value());
            }

            @Override
            public CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request) {
                return refused(
                        Rpc.GET_METADATA_DELTA, request.targetSnapshotId().value());
            }

            private <R> CompletableFuture<R> refused(Rpc rpc, String snapshot) {
                return CompletableFuture.failedFuture(new CsiCallException(
                        rpc,
                        plugin,
                        snapshot,
                        StatusCode.UNIMPLEMENTED,
                        CallOutcome.NEVER,
                        rpc.csiName() + " for " + snapshot + " at plugin " + plugin + " was not sent (UNIMPLEMENTED):"
                                + " the host's NodeGateway does not carry snapshot metadata; implement"
                                + " NodeGateway.snapshotMetadata, or ask the plugin with a client on its node",
                        null));
            }
        };
    }
}

package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.metadata.PagedSnapshotMetadata;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Streams snapshot metadata page by page, from any instance of the plugin that responds (R101-R103). */
public final class SnapshotMetadata {
    private final Operations operations;
    private final SnapshotListing listing;

    public SnapshotMetadata(Operations operations, SnapshotListing listing) {
        this.operations = operations;
        this.listing = listing;
    }

    public SnapshotMetadataService of(Caller caller, PluginId plugin) {
        return new PagedSnapshotMetadata(() -> new Pages(caller, plugin), plugin.value());
    }

    /** The pages of one stream. The permission to read a snapshot is checked once for the stream. */
    private final class Pages implements MetadataPages {
        private final Caller caller;
        private final PluginId plugin;
        /** The snapshots that the caller may read. Not synchronized, because only one page is requested at a time. */
        private final Map<SnapshotId, Optional<Snapshot>> allowed = new HashMap<>();

        Pages(Caller caller, PluginId plugin) {
            this.caller = caller;
            this.plugin = plugin;
        }

        @Override
        public CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(
                GetMetadataAllocatedRequest request) {
            return page(
                    Rpc.GET_METADATA_ALLOCATED,
                    request.snapshotId(),
                    request.snapshotId(),
                    request.secrets(),
                    secrets -> request.toBuilder().secrets(secrets).build(),
                    MetadataPages::allocated);
        }

        @Override
        public CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request) {
            return page(
                    Rpc.GET_METADATA_DELTA,
                    request.baseSnapshotId(),
                    request.targetSnapshotId(),
                    request.secrets(),
                    secrets -> request.toBuilder().secrets(secrets).build(),
                    MetadataPages::delta);
        }

        private <Q, R> CompletableFuture<MetadataPage<R>> page(
                Rpc rpc,
                SnapshotId base,
                SnapshotId target,
                Secrets given,
                Function<Secrets, Q> message,
                PageCall<Q, R> call) {
            String what = "metadata of snapshot " + target;
            return operations.starter(caller).runUnlessStopped(what, stopped -> {
                operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
                PluginOffer.of(operations.state(), plugin)
                        .needs(PluginService.SNAPSHOT_METADATA_SERVICE, "snapshot metadata")
                        .check(what);
                return readable(base)
                        .thenCompose(known -> readable(target))
                        .thenCompose(source -> operations
                                .retryLoop()
                                .untilDone(
                                        what,
                                        RetryLoop.Stored.NOTHING,
                                        stopped,
                                        attempt -> secrets(rpc, given, source)
                                                .thenCompose(secrets -> operations
                                                        .calls()
                                                        .metadata(
                                                                CallSubject.of(rpc, plugin, target.value())
                                                                        .attempt(attempt),
                                                                pages -> call.send(pages, message.apply(secrets))))));
            });
        }

        private CompletableFuture<Optional<Snapshot>> readable(SnapshotId snapshotId) {
            Optional<Snapshot> before = allowed.get(snapshotId);
            if (before != null) {
                return CompletableFuture.completedFuture(before);
            }
            return listing.find(caller, plugin, snapshotId).thenApply(found -> {
                listing.allow(caller, plugin, found, Permission.VOLUME_READ, "snapshot " + snapshotId);
                allowed.put(snapshotId, found);
                return found;
            });
        }

        private CompletableFuture<Secrets> secrets(Rpc rpc, Secrets given, Optional<Snapshot> snapshot) {
            return given.isEmpty()
                    ? operations.secrets().of(caller, plugin, snapshot.map(Snapshot::sourceVolumeId), rpc)
                    : CompletableFuture.completedFuture(given);
        }
    }

    @FunctionalInterface
    private interface PageCall<Q, R> {
        CompletableFuture<MetadataPage<R>> send(MetadataPages pages, Q request);
    }
}

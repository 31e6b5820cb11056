package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PageToken;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lists and finds snapshots. A snapshot of a registered volume belongs to the volume's namespace. To see any other
 * snapshot, the caller needs MANAGEMENT.
 */
public final class SnapshotListing {
    private final Operations operations;

    public SnapshotListing(Operations operations) {
        this.operations = operations;
    }

    public CompletableFuture<ExternalPage<Snapshot>> list(
            Caller caller, PluginId plugin, Optional<ExternalVolumeId> source, int maxEntries, String token) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_SNAPSHOTS, "listing snapshots")
                .check("listing of snapshots");
        ListSnapshotsRequest.Builder builder =
                ListSnapshotsRequest.builder().maxEntries(maxEntries).startingToken(token);
        source.ifPresent(builder::sourceVolumeId);
        return send(caller, plugin, builder.build())
                .thenApply(page -> new ExternalPage<>(
                        page.entries().stream()
                                .filter(snapshot -> visible(caller, plugin, snapshot.sourceVolumeId()))
                                .toList(),
                        PageToken.next(
                                Rpc.LIST_SNAPSHOTS,
                                "listing of the snapshots of plugin " + plugin,
                                token,
                                page.nextToken())));
    }

    public CompletableFuture<Optional<Snapshot>> get(Caller caller, PluginId plugin, SnapshotId snapshotId) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer offer = PluginOffer.of(operations.state(), plugin);
        if (!offer.has(ControllerCapability.GET_SNAPSHOT)) {
            offer.needs(ControllerCapability.LIST_SNAPSHOTS, "looking at a snapshot");
        }
        offer.check("read snapshot " + snapshotId);
        return find(caller, plugin, snapshotId)
                .thenApply(found -> found.filter(snapshot -> visible(caller, plugin, snapshot.sourceVolumeId())));
    }

    /**
     * Finds a snapshot by an RPC that the plugin supports. Returns empty if there is no such snapshot, or the plugin
     * supports no RPC for it.
     */
    CompletableFuture<Optional<Snapshot>> find(Caller caller, PluginId plugin, SnapshotId snapshotId) {
        PluginOffer offer = PluginOffer.of(operations.state(), plugin);
        if (offer.has(ControllerCapability.GET_SNAPSHOT)) {
            return operations
                    .secrets()
                    .of(caller, plugin, Rpc.GET_SNAPSHOT)
                    .thenCompose(secrets -> operations
                            .calls()
                            .controller(
                                    CallSubject.of(Rpc.GET_SNAPSHOT, plugin, snapshotId.value()),
                                    controller -> controller.getSnapshot(GetSnapshotRequest.builder(snapshotId)
                                            .secrets(secrets)
                                            .build())))
                    .thenApply(answer -> Optional.of(answer.snapshot()))
                    .exceptionallyCompose(failure -> Failures.code(failure) == StatusCode.NOT_FOUND
                            ? CompletableFuture.completedFuture(Optional.empty())
                            : CompletableFuture.failedFuture(Futures.unwrap(failure)));
        }
        if (!offer.has(ControllerCapability.LIST_SNAPSHOTS)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return send(
                        caller,
                        plugin,
                        ListSnapshotsRequest.builder().snapshotId(snapshotId).build())
                .thenApply(page -> page.entries().stream()
                        .filter(snapshot -> snapshot.snapshotId().equals(snapshotId))
                        .findFirst());
    }

    private CompletableFuture<ListSnapshotsResponse> send(
            Caller caller, PluginId plugin, ListSnapshotsRequest request) {
        return operations
                .secrets()
                .of(caller, plugin, Rpc.LIST_SNAPSHOTS)
                .thenCompose(secrets -> operations
                        .calls()
                        .controller(
                                CallSubject.of(Rpc.LIST_SNAPSHOTS, plugin, ""),
                                controller -> controller.listSnapshots(
                                        request.toBuilder().secrets(secrets).build())));
    }

    private boolean visible(Caller caller, PluginId plugin, ExternalVolumeId source) {
        return operations.permissions().owns(caller, plugin, source, Permission.VOLUME_READ);
    }

    /**
     * Checks the permission to change a snapshot.
     *
     * @throws io.csi4j.core.spi.AccessDeniedException if the caller does not have it
     */
    void allowChange(Caller caller, PluginId plugin, Optional<Snapshot> snapshot, String what) {
        allow(caller, plugin, snapshot, Permission.VOLUME_WRITE, what);
    }

    /**
     * Checks that the caller has a permission in the namespace of the snapshot's source volume, or MANAGEMENT if that
     * volume is not registered.
     *
     * @param what the snapshot as the request names it
     * @throws io.csi4j.core.spi.AccessDeniedException if the caller does not have it
     */
    void allow(Caller caller, PluginId plugin, Optional<Snapshot> snapshot, Permission permission, String what) {
        operations.permissions().allowOwner(caller, plugin, snapshot.map(Snapshot::sourceVolumeId), permission, what);
    }

    /**
     * Checks that the caller may copy a snapshot to a new volume. A caller with MANAGEMENT may copy each snapshot. For
     * any other caller the plugin says of which volume it is, and the caller has to be permitted to read that volume.
     *
     * @return fails with an {@link io.csi4j.core.spi.AccessDeniedException} if the caller may not
     */
    public CompletableFuture<Void> allowCopy(Caller caller, PluginId plugin, SnapshotId snapshotId) {
        if (operations.permissions().allows(caller, Access.of(Permission.MANAGEMENT))) {
            return CompletableFuture.completedFuture(null);
        }
        return find(caller, plugin, snapshotId)
                .thenAccept(found -> allow(caller, plugin, found, Permission.VOLUME_READ, "snapshot " + snapshotId));
    }

    /** Checks the permission to change all members of a group snapshot. A group without members needs MANAGEMENT. */
    void allowChange(Caller caller, PluginId plugin, List<Snapshot> snapshots, String what) {
        if (snapshots.isEmpty()) {
            allowChange(caller, plugin, Optional.empty(), what);
        }
        snapshots.forEach(snapshot -> allowChange(caller, plugin, Optional.of(snapshot), what));
    }
}

package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.OperationStarter;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotOperations;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.snapshot.VolumeSnapshot;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots and group snapshots of volumes, and the metadata of their blocks. {@link VolumeLifecycle} describes the
 * rules for all operations, for example about permissions and failures.
 */
public final class VolumeSnapshots {
    private final LifecycleEngine engine;
    private final OperationStarter operations;
    private final Caller caller;

    VolumeSnapshots(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations().starter(caller);
        this.caller = caller;
    }

    /**
     * Creates a snapshot with a row in the state (R76-R79). The intent is stored before the first call, and the leader
     * calls CreateSnapshot until the snapshot is ready to use, also after a crash. The name at the storage provider is a new
     * one for each row. The same request, on any server, waits for the same snapshot. The source volume is not deleted
     * before the storage provider has made the snapshot. Needs VOLUME_WRITE in both namespaces, and PLUGIN_READ.
     *
     * @param source the volume of which the snapshot is made; it has to be available
     * @param parameters parameters that only the plugin interprets
     * @return the snapshot, once it is ready to use; fails with a {@link SnapshotFailedException} if the plugin refuses it
     *     finally, and with an {@link UnfinishedException} if it is not ready in time: the leader continues then
     */
    public CompletableFuture<VolumeSnapshot> create(SnapshotKey key, VolumeKey source, Map<String, String> parameters) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(parameters, "parameters");
        return operations.run(() -> engine.snapshotRows().create(caller, key, source, parameters));
    }

    /**
     * Deletes a snapshot with a row in the state, at the storage provider as well (R80). A snapshot whose creation has no
     * known outcome is finished first and then deleted. Succeeds if the state does not have the snapshot. Needs
     * VOLUME_WRITE in the namespace.
     *
     * @return completes when the storage provider has removed the snapshot; fails with an {@link UnfinishedException} if
     *     that takes too long: the leader continues then
     */
    public CompletableFuture<Void> delete(SnapshotKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(() -> engine.snapshotRows().delete(caller, key));
    }

    /**
     * Returns a snapshot of the state. Needs VOLUME_READ in the namespace.
     *
     * @return empty if the state does not have the snapshot
     */
    public CompletableFuture<Optional<VolumeSnapshot>> get(SnapshotKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.snapshotRows().get(caller, key)));
    }

    /**
     * Returns the snapshots of a namespace in the order of their names. Needs VOLUME_READ in the namespace.
     *
     * @param source the source volume of the snapshots; empty for all volumes
     */
    public CompletableFuture<List<VolumeSnapshot>> list(Namespace namespace, Optional<VolumeKey> source) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(source, "source");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.snapshotRows().list(caller, namespace, source)));
    }

    /**
     * Removes the row of a snapshot without a call, because an operator knows that the storage provider does not have the
     * snapshot. Needs MANAGEMENT.
     *
     * @param reason the operator's evidence, not empty
     */
    public CompletableFuture<Void> forget(SnapshotKey key, String reason) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(reason, "reason");
        return operations.run(() -> engine.snapshotRows().forget(caller, key, reason));
    }

    /**
     * Creates a snapshot (R76-R79). The engine does not store snapshots, so the host has to persist the name of the
     * request before this call. After a crash, an {@link UnfinishedException} or a lost response, the same request on
     * any server returns the same snapshot, or creates it (R76). To remove an unwanted snapshot whose id is unknown,
     * send its request again and delete the resulting snapshot.
     *
     * @return the snapshot, once it is ready to use; fails with an {@link UnfinishedException} if it is not ready in
     *     time: nothing continues then, and the message has the snapshot's id. RESOURCE_EXHAUSTED fails it at once (R79), although the snapshot may exist
     */
    public CompletableFuture<Snapshot> create(SnapshotRequest request) {
        Objects.requireNonNull(request, "request");
        String what = "snapshot " + request.name() + " of volume " + request.volume();
        AtomicReference<@Nullable SnapshotId> cut = new AtomicReference<>();
        return operations.run(
                what,
                () -> Optional.ofNullable(cut.get())
                        .map(id -> SnapshotOperations.notReady(what, id).remedy()),
                () -> engine.snapshots().create(caller, request, cut));
    }

    /**
     * Deletes a snapshot that is in no group (R80). Succeeds if the snapshot does not exist. If the plugin reports the
     * snapshot's source volume and that volume is registered, the request to the plugin has the secrets of that volume.
     * Otherwise the request has the secrets of the plugin.
     *
     * @param plugin the plugin that has the snapshot
     * @return completes when the snapshot is deleted
     */
    public CompletableFuture<Void> delete(PluginId plugin, SnapshotId snapshotId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
        return operations.run(
                "deletion of snapshot " + snapshotId, () -> engine.snapshots().delete(caller, plugin, snapshotId));
    }

    /**
     * Returns a snapshot (R81).
     *
     * @param plugin the plugin that has the snapshot
     * @return empty if the storage provider has no such snapshot, or the caller may not see it
     */
    public CompletableFuture<Optional<Snapshot>> get(PluginId plugin, SnapshotId snapshotId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
        return operations.run(
                "read snapshot " + snapshotId, () -> engine.snapshotListing().get(caller, plugin, snapshotId));
    }

    /**
     * Returns a page of a plugin's snapshots (R81).
     *
     * @param source the source volume of the snapshots; empty for all volumes
     * @param maxEntries the largest number of entries to request; 0 to let the plugin decide
     * @param token the token of an earlier page; empty for the first page
     * @return the snapshots that the caller may see
     */
    public CompletableFuture<ExternalPage<Snapshot>> list(
            PluginId plugin, Optional<ExternalVolumeId> source, int maxEntries, String token) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(token, "token");
        return operations.run(
                "listing of the snapshots of plugin " + plugin,
                () -> engine.snapshotListing().list(caller, plugin, source, maxEntries, token));
    }

    /**
     * Returns the service for the allocated and changed blocks of snapshots (R101-R103). A stream requests the next
     * page when its subscriber asks for more. The request for a failed page is retried if that may help. The pages of
     * one stream may come from several instances of the plugin.
     *
     * <p>To read a snapshot of a registered volume, the caller needs VOLUME_READ in the volume's namespace. To read any
     * other snapshot, the caller needs MANAGEMENT. If a request has no secrets, the {@code SecretsProvider} provides
     * them.
     *
     * @param plugin a plugin with SNAPSHOT_METADATA_SERVICE
     * @return the service; a stream fails with an {@link UnfinishedException} if a page does not arrive within the
     *     operation timeout
     */
    public SnapshotMetadataService metadata(PluginId plugin) {
        return engine.metadata().of(caller, Objects.requireNonNull(plugin, "plugin"));
    }

    /**
     * Creates snapshots of several volumes at the same time (R97).
     *
     * @return the group snapshot, once it is ready to use; fails as {@link #create}
     */
    public CompletableFuture<VolumeGroupSnapshot> createGroup(GroupSnapshotRequest request) {
        Objects.requireNonNull(request, "request");
        return operations.run(
                "group snapshot " + request.name(), () -> engine.groups().create(caller, request));
    }

    /**
     * Returns a group snapshot (R100).
     *
     * @param plugin the plugin that has the group
     * @param group the id of the group
     * @param members all snapshots of the group
     * @return empty if the storage provider has no such group, or the caller may not see it
     */
    public CompletableFuture<Optional<VolumeGroupSnapshot>> getGroup(
            PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
        return operations.run(
                "read group snapshot " + group, () -> engine.groups().get(caller, plugin, group, members));
    }

    /**
     * Deletes a group snapshot with all its members (R100). Succeeds if the group does not exist.
     *
     * @param plugin the plugin that has the group
     * @param group the id of the group
     * @param members all snapshots of the group
     * @return completes when the group and its snapshots are deleted
     */
    public CompletableFuture<Void> deleteGroup(PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
        return operations.run(
                "deletion of group snapshot " + group, () -> engine.groups().delete(caller, plugin, group, members));
    }
}

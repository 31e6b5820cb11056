package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Snapshots and group snapshots of volumes, and which blocks of them are allocated. The rules of {@link VolumeLifecycle}
 * hold for every operation.
 */
public final class VolumeSnapshots {
    private final LifecycleEngine engine;
    private final Operations operations;
    private final Caller caller;

    VolumeSnapshots(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations();
        this.caller = caller;
    }

    /**
     * Cuts a snapshot (R76-R79). Snapshots have no record here: the name of the request is the host's own key for
     * it, and has to be kept before this is called. After a crash, an {@link UnfinishedException} or any other loss of
     * the answer, on any server, the same request gives the same snapshot (R76), or makes it; a snapshot that is no
     * longer wanted is asked for in that way too, and then deleted.
     *
     * @param request of what, and under which name
     * @return the snapshot once it is ready to use; an {@link UnfinishedException} says that it is not yet
     */
    public CompletableFuture<Snapshot> create(SnapshotRequest request) {
        Objects.requireNonNull(request, "request");
        return operations.run(
                "snapshot " + request.name() + " of volume " + request.volume(),
                () -> engine.snapshots().create(caller, request));
    }

    /**
     * Deletes a snapshot that is in no group (R80). One that does not exist is deleted. The secrets are asked for the
     * volume it was cut of, where that is registered and the plugin tells it, and else for the plugin.
     *
     * @param plugin the plugin that has it
     * @param snapshotId which
     * @return completes once it is gone
     */
    public CompletableFuture<Void> delete(PluginId plugin, SnapshotId snapshotId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
        return operations.run(
                "deletion of snapshot " + snapshotId, () -> engine.snapshots().delete(caller, plugin, snapshotId));
    }

    /**
     * A snapshot (R81).
     *
     * @param plugin the plugin that has it
     * @param snapshotId which
     * @return empty: there is none that the caller may see
     */
    public CompletableFuture<Optional<Snapshot>> get(PluginId plugin, SnapshotId snapshotId) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(snapshotId, "snapshotId");
        return operations.run(
                "look at snapshot " + snapshotId, () -> engine.snapshotListing().get(caller, plugin, snapshotId));
    }

    /**
     * A page of a plugin's snapshots (R81).
     *
     * @param plugin the plugin
     * @param source only those of this volume; empty: of any
     * @param maxEntries the most entries to ask for; 0: as the provider likes
     * @param token where to begin, as an earlier page told; empty: at the beginning
     * @return those the caller may see
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
     * Which blocks of snapshots are allocated, or differ from an earlier snapshot (R101-R103). A stream is fetched
     * page by page as its subscriber asks for more; a page that fails is repeated where that may help, and one stream
     * may come from several instances of the plugin.
     *
     * <p>A snapshot of a volume that is known here needs VOLUME_READ in that volume's namespace, every other one
     * MANAGEMENT. Secrets in a request are used as they are; where it has none, the {@code SecretsProvider} is asked.
     *
     * @param plugin a plugin with SNAPSHOT_METADATA_SERVICE
     * @return the service; its streams fail with an {@link UnfinishedException} if a page is not had within the time
     *     of an operation
     */
    public SnapshotMetadataService metadata(PluginId plugin) {
        return engine.metadata().of(caller, Objects.requireNonNull(plugin, "plugin"));
    }

    /**
     * Cuts snapshots of several volumes at one point (R97).
     *
     * @param request of what, and under which name
     * @return the group snapshot once it is ready to use
     */
    public CompletableFuture<VolumeGroupSnapshot> createGroup(GroupSnapshotRequest request) {
        Objects.requireNonNull(request, "request");
        return operations.run(
                "group snapshot " + request.name(), () -> engine.groups().create(caller, request));
    }

    /**
     * A group snapshot (R100).
     *
     * @param plugin the plugin that has it
     * @param group which
     * @param members all of its snapshots
     * @return empty: there is none that the caller may see
     */
    public CompletableFuture<Optional<VolumeGroupSnapshot>> getGroup(
            PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
        return operations.run(
                "look at group snapshot " + group, () -> engine.groups().get(caller, plugin, group, members));
    }

    /**
     * Deletes a group snapshot with all its members (R100). One that does not exist is deleted.
     *
     * @param plugin the plugin that has it
     * @param group which
     * @param members all of its snapshots
     * @return completes once they are gone
     */
    public CompletableFuture<Void> deleteGroup(PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(members, "members");
        return operations.run(
                "deletion of group snapshot " + group, () -> engine.groups().delete(caller, plugin, group, members));
    }
}

package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.SnapshotRequest;
import io.csi4j.core.lifecycle.VolumeSnapshots;
import java.util.List;
import java.util.Optional;

/**
 * The operations on snapshots and group snapshots, for callers that block. Each method waits for the operation of the
 * same name in {@link VolumeSnapshots}; see {@link BlockingLifecycle}. For the metadata of snapshots, use the streams
 * of {@link VolumeSnapshots#metadata}.
 */
public final class BlockingSnapshots {
    private final VolumeSnapshots view;

    BlockingSnapshots(VolumeSnapshots view) {
        this.view = view;
    }

    /** Waits for {@link VolumeSnapshots#create(SnapshotRequest)}. */
    public Snapshot create(SnapshotRequest request) {
        return Waiting.on(view.create(request));
    }

    /** Waits for {@link VolumeSnapshots#delete(PluginId, SnapshotId)}. */
    public void delete(PluginId plugin, SnapshotId snapshotId) {
        Waiting.on(view.delete(plugin, snapshotId));
    }

    /** Waits for {@link VolumeSnapshots#get(PluginId, SnapshotId)}. */
    public Optional<Snapshot> get(PluginId plugin, SnapshotId snapshotId) {
        return Waiting.on(view.get(plugin, snapshotId));
    }

    /** Waits for {@link VolumeSnapshots#list(PluginId, Optional, int, String)}. */
    public ExternalPage<Snapshot> list(
            PluginId plugin, Optional<ExternalVolumeId> source, int maxEntries, String token) {
        return Waiting.on(view.list(plugin, source, maxEntries, token));
    }

    /** Waits for {@link VolumeSnapshots#createGroup(GroupSnapshotRequest)}. */
    public VolumeGroupSnapshot createGroup(GroupSnapshotRequest request) {
        return Waiting.on(view.createGroup(request));
    }

    /** Waits for {@link VolumeSnapshots#getGroup(PluginId, GroupSnapshotId, List)}. */
    public Optional<VolumeGroupSnapshot> getGroup(PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        return Waiting.on(view.getGroup(plugin, group, members));
    }

    /** Waits for {@link VolumeSnapshots#deleteGroup(PluginId, GroupSnapshotId, List)}. */
    public void deleteGroup(PluginId plugin, GroupSnapshotId group, List<SnapshotId> members) {
        Waiting.on(view.deleteGroup(plugin, group, members));
    }
}

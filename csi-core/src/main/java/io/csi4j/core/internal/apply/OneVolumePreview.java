package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * A writable state over a snapshot in which one volume can change. All other rows are read from the snapshot. Writes to
 * other rows and to indexes are ignored.
 */
final class OneVolumePreview implements WritableState {
    private final StateReader base;
    private final VolumeKey key;
    private Optional<Volume> volume;

    OneVolumePreview(StateReader base, Volume volume) {
        this.base = base;
        this.key = volume.key();
        this.volume = Optional.of(volume);
    }

    Optional<Volume> volume() {
        return volume;
    }

    void reset(Optional<Volume> before) {
        volume = before;
    }

    @Override
    public Optional<Volume> volume(VolumeKey requested) {
        return requested.equals(key) ? volume : base.volume(requested);
    }

    @Override
    public QuotaUse quotaUse(QuotaKey quota) {
        return base.quotaUse(quota);
    }

    @Override
    public void putVolume(Volume row) {
        if (row.key().equals(key)) {
            volume = Optional.of(row);
        }
    }

    @Override
    public void removeVolume(VolumeKey removed) {
        if (removed.equals(key)) {
            volume = Optional.empty();
        }
    }

    @Override
    public long index() {
        return base.index();
    }

    @Override
    public ListPage<Volume, VolumeKey> volumes(VolumeQuery query) {
        return base.volumes(query);
    }

    @Override
    public Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId) {
        return base.volumeByExternalId(pluginId, externalVolumeId);
    }

    @Override
    public Iterable<VolumeKey> volumesNamed(PluginId pluginId, String name) {
        return base.volumesNamed(pluginId, name);
    }

    @Override
    public Iterable<VolumeKey> creationsFrom(PluginId pluginId, VolumeContentSource source) {
        return base.creationsFrom(pluginId, source);
    }

    @Override
    public Iterable<VolumeKey> volumesOf(PluginId pluginId) {
        return base.volumesOf(pluginId);
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId) {
        return base.volumesOn(nodeId);
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId) {
        return base.volumesOn(nodeId, pluginId);
    }

    @Override
    public Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId) {
        return base.volumesClaimedBy(allocationId);
    }

    @Override
    public Iterable<RequestedClaims> requestedClaimsOf(AllocationId allocationId) {
        return base.requestedClaimsOf(allocationId);
    }

    @Override
    public Iterable<VolumeKey> unsettledVolumes() {
        return base.unsettledVolumes();
    }

    @Override
    public <K, R> Optional<R> row(RowType<K, R> type, K rowKey) {
        return base.row(type, rowKey);
    }

    @Override
    public <K, R> Iterable<R> rows(RowType<K, R> type) {
        return base.rows(type);
    }

    @Override
    public Object version(RowType<?, ?> type) {
        return base.version(type);
    }

    @Override
    public <K, R> void put(RowType<K, R> type, R row) {}

    @Override
    public <K, R> void remove(RowType<K, R> type, K rowKey) {}

    @Override
    public Iterable<Node> unsettledNodes() {
        return base.unsettledNodes();
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return base.allocationsOn(nodeId);
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return base.instancesOn(nodeId);
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return base.instancesOn(nodeId, pluginId);
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return base.instancesOf(pluginId);
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return base.instancesOf(pluginId, type);
    }

    @Override
    public Iterable<PluginInstance> unprovedOf(PluginId pluginId) {
        return base.unprovedOf(pluginId);
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return base.deploymentsOf(pluginId);
    }

    @Override
    public PluginView plugin(PluginId pluginId) {
        return base.plugin(pluginId);
    }

    @Override
    public Iterable<SnapshotKey> snapshotsOf(VolumeKey source) {
        return base.snapshotsOf(source);
    }

    @Override
    public Iterable<VolumeSnapshot> unsettledSnapshots() {
        return base.unsettledSnapshots();
    }
}

package io.csi4j.state;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.internal.hash.HashTrie;
import io.csi4j.state.internal.tree.Tree;
import java.util.function.Function;

/** All trees of one version of the state. While a version is written, it belongs to one transaction; after its commit it is immutable. */
final class Tables {
    long index;

    Tree<VolumeKey, Volume> volumes;
    private final Tree<?, ?>[] rows;

    Tree<PluginId, Group<PluginId, VolumeKey>> volumesOfPlugin;
    HashTrie<ExternalEntry, ExternalEntry> volumesByExternalId;
    HashTrie<VolumesBy.Name, VolumesBy<VolumesBy.Name>> volumesByName;
    HashTrie<VolumesBy.Source, VolumesBy<VolumesBy.Source>> creationsBySource;
    HashTrie<VolumesBy.Owner, VolumesBy<VolumesBy.Owner>> volumesByOwner;
    HashTrie<NodeId, NodeUses> uses;
    HashTrie<AllocationId, ClaimsByAllocation> claims;
    Tree<VolumeKey, VolumeKey> unsettled;
    /** The use of each namespace, and of each class in it, that has volumes, whether there is a quota or not. */
    HashTrie<QuotaKey, CountedUse> quotaUses;

    /** The nodes whose ledgers are not settled; the admission of a claim reads them. */
    Tree<NodeId, Node> unsettledNodes;

    /** The snapshots by their source volumes. */
    Tree<VolumeSnapshot, VolumeSnapshot> snapshotsOfVolume;
    /** The snapshots for which the leader has a call to make. */
    Tree<SnapshotKey, VolumeSnapshot> unsettledSnapshots;

    Tree<NodeId, Group<NodeId, AllocationId>> allocationsOnNode;
    Tree<PluginId, Group<PluginId, DeploymentId>> deploymentsOfPlugin;
    HashTrie<KindInstances.Kind, KindInstances> instancesByKind;
    /** The proved instances of each plugin on each node; the admission of a claim reads them. */
    HashTrie<NodeInstances.Location, NodeInstances> instancesByLocation;

    /** The cached views of plugins, which are computed from the rows of plugins only. */
    PluginViews pluginViews;

    Tables() {
        volumes = Tree.empty(Keys.VOLUMES);
        rows = RowTable.empty();
        volumesOfPlugin = Tree.empty(Keys.VOLUMES_OF_PLUGIN);
        volumesByExternalId = HashTrie.empty(Function.identity());
        volumesByName = HashTrie.empty(VolumesBy::value);
        creationsBySource = HashTrie.empty(VolumesBy::value);
        volumesByOwner = HashTrie.empty(VolumesBy::value);
        uses = HashTrie.empty(NodeUses::nodeId);
        claims = HashTrie.empty(ClaimsByAllocation::allocationId);
        quotaUses = HashTrie.empty(CountedUse::key);
        unsettled = Tree.empty(Keys.VOLUME_KEYS);
        unsettledNodes = Tree.empty(Keys.NODES);
        snapshotsOfVolume = Tree.empty(Keys.SNAPSHOTS_OF_VOLUME);
        unsettledSnapshots = Tree.empty(Keys.SNAPSHOTS);
        allocationsOnNode = Tree.empty(Keys.ALLOCATIONS_ON_NODE);
        deploymentsOfPlugin = Tree.empty(Keys.DEPLOYMENTS_OF_PLUGIN);
        instancesByKind = HashTrie.empty(KindInstances::kind);
        instancesByLocation = HashTrie.empty(NodeInstances::location);
        pluginViews = new PluginViews();
    }

    /** Creates a copy of a version for a transaction. */
    Tables(Tables base) {
        index = base.index;
        volumes = base.volumes;
        rows = base.rows.clone();
        volumesOfPlugin = base.volumesOfPlugin;
        volumesByExternalId = base.volumesByExternalId;
        volumesByName = base.volumesByName;
        creationsBySource = base.creationsBySource;
        volumesByOwner = base.volumesByOwner;
        uses = base.uses;
        claims = base.claims;
        quotaUses = base.quotaUses;
        unsettled = base.unsettled;
        unsettledNodes = base.unsettledNodes;
        snapshotsOfVolume = base.snapshotsOfVolume;
        unsettledSnapshots = base.unsettledSnapshots;
        allocationsOnNode = base.allocationsOnNode;
        deploymentsOfPlugin = base.deploymentsOfPlugin;
        instancesByKind = base.instancesByKind;
        instancesByLocation = base.instancesByLocation;
        pluginViews = base.pluginViews;
    }

    /** Returns the rows of a type by key. */
    @SuppressWarnings("unchecked")
    <K, R> Tree<K, R> rows(RowType<K, R> type) {
        return (Tree<K, R>) rows[type.ordinal()];
    }

    <K, R> void replace(RowType<K, R> type, Tree<K, R> by) {
        rows[type.ordinal()] = by;
    }
}

package io.csi4j.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
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
import io.csi4j.state.KindInstances.Kind;
import io.csi4j.state.internal.tree.Bound;
import io.csi4j.state.internal.tree.Cursor;
import io.csi4j.state.internal.tree.Tree;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Implements all queries, both for snapshots and for transactions. No query opens a transaction. */
abstract class TableReader implements StateReader {
    /**
     * Returns the trees for lookups of nodes, plugins, allocations and other rows by key. In a transaction they may
     * lack the newest change of a volume; {@link #indexed} has it.
     */
    abstract Tables tables();

    /**
     * Returns the trees for lookups of volumes and in indexes of volumes. In a transaction, all its changes are added
     * to the trees first.
     */
    abstract Tables indexed();

    /**
     * Returns the trees over which a query may iterate. Later writes of a transaction do not change these trees, but
     * copies of them.
     */
    abstract Tables walked();

    @Override
    public final long index() {
        return tables().index;
    }

    @Override
    public final Optional<Volume> volume(VolumeKey key) {
        return Optional.ofNullable(find(key));
    }

    /** Returns the volume's row, or null. */
    @Nullable Volume find(VolumeKey key) {
        return indexed().volumes.get(key);
    }

    @Override
    public final ListPage<Volume, VolumeKey> volumes(VolumeQuery query) {
        return new VolumeListing(walked(), query).page();
    }

    @Override
    public final Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId) {
        ExternalEntry found =
                indexed().volumesByExternalId.get(new ExternalEntry(pluginId, externalVolumeId.value(), null));
        return found == null ? Optional.empty() : Optional.ofNullable(found.volume());
    }

    @Override
    public final Iterable<VolumeKey> volumesNamed(PluginId pluginId, String name) {
        return VolumesBy.of(indexed().volumesByName, new VolumesBy.Name(pluginId, name));
    }

    @Override
    public final Iterable<VolumeKey> creationsFrom(PluginId pluginId, VolumeContentSource source) {
        return VolumesBy.of(indexed().creationsBySource, new VolumesBy.Source(pluginId, source));
    }

    @Override
    public final Iterable<VolumeKey> volumesOf(PluginId pluginId) {
        return members(Group.members(walked().volumesOfPlugin, pluginId), Function.identity());
    }

    @Override
    public final Iterable<VolumeKey> volumesOwnedBy(Namespace namespace, WorkloadName name) {
        return VolumesBy.of(indexed().volumesByOwner, new VolumesBy.Owner(namespace, name));
    }

    @Override
    public final Iterable<VolumeKey> volumesOn(NodeId nodeId) {
        return NodeUses.of(walked().uses, nodeId);
    }

    @Override
    public final Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId) {
        return members(NodeUses.of(walked().uses, nodeId, pluginId), Function.identity());
    }

    @Override
    public final Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId) {
        return ClaimsByAllocation.of(indexed().claims, allocationId);
    }

    @Override
    public final Iterable<VolumeKey> unsettledVolumes() {
        return members(walked().unsettled, Function.identity());
    }

    @Override
    public final QuotaUse quotaUse(QuotaKey key) {
        CountedUse use = indexed().quotaUses.get(key);
        return use == null ? QuotaUse.none() : use.use();
    }

    @Override
    public final <K, R> Optional<R> row(RowType<K, R> type, K key) {
        return Optional.ofNullable(tables().rows(type).get(key));
    }

    @Override
    public final <K, R> Iterable<R> rows(RowType<K, R> type) {
        return members(walked().rows(type), Function.identity());
    }

    @Override
    public final Object version(RowType<?, ?> type) {
        return walked().rows(type);
    }

    @Override
    public final Iterable<Node> unsettledNodes() {
        // Nearly always empty: the query of each admission then needs no copy of the trees.
        return tables().unsettledNodes.isEmpty() ? List.of() : members(walked().unsettledNodes, Function.identity());
    }

    @Override
    public final Iterable<SnapshotKey> snapshotsOf(VolumeKey source) {
        // Most states have none, and walking an index in a transaction makes its next writes slower.
        return tables().snapshotsOfVolume.isEmpty()
                ? List.of()
                : range(walked().snapshotsOfVolume, Keys.VOLUME_KEYS.text(source) + '\0', VolumeSnapshot::key);
    }

    @Override
    public final Iterable<VolumeSnapshot> unsettledSnapshots() {
        return tables().unsettledSnapshots.isEmpty()
                ? List.of()
                : members(walked().unsettledSnapshots, Function.identity());
    }

    @Override
    public final Iterable<Allocation> allocationsOn(NodeId nodeId) {
        Tables tables = walked();
        Tree<AllocationId, Allocation> rows = tables.rows(RowType.ALLOCATIONS);
        return members(Group.members(tables.allocationsOnNode, nodeId), id -> row(rows, id));
    }

    @Override
    public final Iterable<RequestedClaims> requestedClaimsOf(AllocationId allocationId) {
        // Most states have none, and walking the rows in a transaction makes its next writes slower.
        return tables().rows(RowType.REQUESTED_CLAIMS).size() == 0
                ? List.of()
                : range(walked().rows(RowType.REQUESTED_CLAIMS), allocationId.value() + '\0', Function.identity());
    }

    @Override
    public final Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return range(walked().rows(RowType.INSTANCES), nodeId.value() + '\0', Function.identity());
    }

    @Override
    public final Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return NodeInstances.of(tables().instancesByLocation, nodeId, pluginId);
    }

    @Override
    public final Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return instancesOf(pluginId, true);
    }

    @Override
    public final Iterable<PluginInstance> unprovedOf(PluginId pluginId) {
        return instancesOf(pluginId, false);
    }

    private Iterable<PluginInstance> instancesOf(PluginId pluginId, boolean proved) {
        Tables tables = walked();
        return () -> Keys.TYPES.stream()
                .map(type -> KindInstances.of(tables.instancesByKind, new Kind(pluginId, type, proved)))
                .filter(Objects::nonNull)
                .map(members -> new Walk<>(members.cursor(), Function.<PluginInstance>identity()))
                .<Iterator<PluginInstance>>map(walk -> walk)
                .reduce(Collections.emptyIterator(), Chain::new);
    }

    @Override
    public final Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return members(KindInstances.of(walked().instancesByKind, new Kind(pluginId, type, true)), Function.identity());
    }

    @Override
    public final Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        Tables tables = walked();
        Tree<DeploymentId, PluginDeployment> rows = tables.rows(RowType.DEPLOYMENTS);
        return members(Group.members(tables.deploymentsOfPlugin, pluginId), id -> row(rows, id));
    }

    @Override
    public final PluginView plugin(PluginId pluginId) {
        return tables().pluginViews.of(pluginId, StateReader.super::plugin);
    }

    private static <K, R> R row(Tree<K, R> table, K key) {
        R row = table.get(key);
        if (row == null) {
            throw new IllegalStateException("StateStore: an index names " + key
                    + ", which is not in its table; this is a defect of csi4j, please report it");
        }
        return row;
    }

    private static <K, R, T> Iterable<T> members(@Nullable Tree<K, R> tree, Function<R, T> as) {
        return tree == null ? List.of() : () -> new Walk<>(tree.cursor(), as);
    }

    private static <K, R, T> Iterable<T> range(Tree<K, R> tree, String prefix, Function<R, T> as) {
        return () -> new Walk<>(tree.cursor(Bound.at(prefix), Bound.past(prefix)), as);
    }

    /** Chains several iterators. */
    private static final class Chain<T> implements Iterator<T> {
        private final Iterator<T> first;
        private final Iterator<T> second;

        Chain(Iterator<T> first, Iterator<T> second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public boolean hasNext() {
            return first.hasNext() || second.hasNext();
        }

        @Override
        public T next() {
            return first.hasNext() ? first.next() : second.next();
        }
    }

    private static final class Walk<R, T> implements Iterator<T> {
        private final Cursor<?, R> cursor;
        private final Function<R, T> as;

        Walk(Cursor<?, R> cursor, Function<R, T> as) {
            this.cursor = cursor;
            this.as = as;
        }

        @Override
        public boolean hasNext() {
            return cursor.hasNext();
        }

        @Override
        public T next() {
            return as.apply(cursor.next());
        }
    }
}

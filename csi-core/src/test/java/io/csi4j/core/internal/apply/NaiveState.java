package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A state without indexes, which reads all rows for every query. Tests compare faster implementations with this simple
 * one. Not safe for use by several threads.
 */
public final class NaiveState implements WritableState {
    private final TreeMap<VolumeKey, Volume> volumes = new TreeMap<>();
    private final List<TreeMap<?, ?>> tables =
            Stream.<TreeMap<?, ?>>generate(TreeMap::new).limit(RowType.count()).toList();
    private long index;

    /** Returns another state with the same rows. */
    public NaiveState copy() {
        NaiveState copy = new NaiveState();
        copy.become(this);
        return copy;
    }

    private void become(NaiveState other) {
        replace(volumes, other.volumes);
        for (int i = 0; i < tables.size(); i++) {
            replaceTable(tables.get(i), other.tables.get(i));
        }
        index = other.index;
    }

    @SuppressWarnings("unchecked")
    private static <K, V> void replaceTable(Map<K, V> rows, Map<?, ?> by) {
        replace(rows, (Map<K, V>) by);
    }

    private static <K, V> void replace(Map<K, V> rows, Map<K, V> by) {
        rows.clear();
        rows.putAll(by);
    }

    /** Applies a command as a store does: a rejected command changes only the index. */
    public Outcome apply(long commandIndex, Command command) {
        NaiveState before = copy();
        Outcome outcome = CommandApplication.apply(this, commandIndex, command);
        if (!outcome.accepted()) {
            become(before);
        }
        index = commandIndex;
        return outcome;
    }

    /** Applies a command at the next index. */
    public Outcome apply(Command command) {
        return apply(index + 1, command);
    }

    /** Returns whether all rows are equal; ignores the index. */
    public boolean sameRows(NaiveState other) {
        return volumes.equals(other.volumes) && tables.equals(other.tables);
    }

    /**
     * Returns whether all rows are equal apart from modify indexes, taken indexes and the indexes of requested changes
     * and calls.
     */
    public boolean sameButForMarks(NaiveState other) {
        return unmarked().sameRows(other.unmarked());
    }

    private NaiveState unmarked() {
        NaiveState plain = copy();
        plain.volumes.replaceAll((key, volume) -> volume.toBuilder()
                .claims(Claims.of(StreamSupport.stream(volume.claims().spliterator(), false)
                        .map(claim -> claim.toBuilder().takenIndex(0).build())
                        .toList()))
                .modification(volume.modification()
                        .map(modification -> Modification.restore(
                                modification.requested(),
                                0,
                                modification.retry().unresolved(null)))
                        .orElse(null))
                .retry(volume.retry().unresolved(null))
                .modified(0, Instant.EPOCH)
                .build());
        for (VolumeSnapshot snapshot : table(RowType.SNAPSHOTS).values()) {
            plain.put(
                    RowType.SNAPSHOTS,
                    new VolumeSnapshot(
                            snapshot.key(),
                            snapshot.spec(),
                            snapshot.phase(),
                            snapshot.deletionRequested(),
                            snapshot.provided(),
                            snapshot.content(),
                            snapshot.retry().unresolved(null),
                            snapshot.createIndex(),
                            0,
                            snapshot.createdAt()));
        }
        return plain;
    }

    @Override
    public long index() {
        return index;
    }

    @Override
    public Optional<Volume> volume(VolumeKey key) {
        return Optional.ofNullable(volumes.get(key));
    }

    @Override
    public ListPage<Volume, VolumeKey> volumes(VolumeQuery query) {
        List<Volume> rest = volumes.values().stream()
                .filter(volume -> query.after()
                        .map(after -> volume.key().compareTo(after) > 0)
                        .orElse(true))
                .filter(query::matches)
                .toList();
        List<Volume> items = rest.subList(0, Math.min(rest.size(), query.limit()));
        return new ListPage<>(
                items,
                items.size() < rest.size()
                        ? Optional.of(items.get(items.size() - 1).key())
                        : Optional.empty());
    }

    @Override
    public Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId) {
        return volumes.values().stream()
                .filter(volume -> volume.pluginId().equals(pluginId))
                .filter(volume -> volume.externalVolumeId().equals(Optional.of(externalVolumeId)))
                .map(Volume::key)
                .findFirst();
    }

    @Override
    public Iterable<VolumeKey> volumesNamed(PluginId pluginId, String name) {
        return keys(volume -> volume.origin() == VolumeOrigin.CREATED
                && volume.pluginId().equals(pluginId)
                && volume.name().equals(name));
    }

    @Override
    public Iterable<VolumeKey> creationsFrom(PluginId pluginId, VolumeContentSource source) {
        return keys(volume ->
                volume.pluginId().equals(pluginId) && volume.creationSource().equals(Optional.of(source)));
    }

    private Iterable<VolumeKey> keys(Predicate<Volume> which) {
        return volumes.values().stream().filter(which).map(Volume::key).toList();
    }

    @Override
    public Iterable<VolumeKey> volumesOf(PluginId pluginId) {
        return keys(volume -> volume.pluginId().equals(pluginId));
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId) {
        return keys(volume -> volume.isOn(nodeId));
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId) {
        return keys(volume -> volume.isOn(nodeId) && volume.pluginId().equals(pluginId));
    }

    @Override
    public Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId) {
        return keys(volume -> volume.concerns(allocationId));
    }

    @Override
    public Iterable<RequestedClaims> requestedClaimsOf(AllocationId allocationId) {
        return table(RowType.REQUESTED_CLAIMS).values().stream()
                .filter(requested -> requested.allocationId().equals(allocationId))
                .toList();
    }

    @Override
    public Iterable<VolumeKey> unsettledVolumes() {
        return keys(Volume::unsettled);
    }

    @SuppressWarnings("unchecked")
    private <K, R> NavigableMap<K, R> table(RowType<K, R> type) {
        return (NavigableMap<K, R>) tables.get(type.ordinal());
    }

    @Override
    public <K, R> Optional<R> row(RowType<K, R> type, K key) {
        return Optional.ofNullable(table(type).get(key));
    }

    @Override
    public <K, R> Iterable<R> rows(RowType<K, R> type) {
        return List.copyOf(table(type).values());
    }

    @Override
    public Object version(RowType<?, ?> type) {
        return Map.copyOf(table(type));
    }

    @Override
    public <K, R> void put(RowType<K, R> type, R row) {
        table(type).put(type.key(row), row);
    }

    @Override
    public <K, R> void remove(RowType<K, R> type, K key) {
        table(type).remove(key);
    }

    @Override
    public Iterable<Node> unsettledNodes() {
        return table(RowType.NODES).values().stream()
                .filter(node -> !node.ledger().isSettled())
                .toList();
    }

    @Override
    public Iterable<SnapshotKey> snapshotsOf(VolumeKey source) {
        return table(RowType.SNAPSHOTS).values().stream()
                .filter(snapshot -> snapshot.spec().source().equals(source))
                .map(VolumeSnapshot::key)
                .toList();
    }

    @Override
    public Iterable<VolumeSnapshot> unsettledSnapshots() {
        return table(RowType.SNAPSHOTS).values().stream()
                .filter(VolumeSnapshot::unsettled)
                .toList();
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return table(RowType.ALLOCATIONS).values().stream()
                .filter(allocation -> allocation.nodeId().equals(nodeId))
                .toList();
    }

    private Iterable<PluginInstance> proved(Predicate<InstanceKey> which) {
        return table(RowType.INSTANCES).values().stream()
                .filter(instance -> instance.proved() && which.test(instance.key()))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return table(RowType.INSTANCES).values().stream()
                .filter(instance -> instance.key().nodeId().equals(nodeId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return proved(key -> key.nodeId().equals(nodeId) && key.pluginId().equals(pluginId));
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return ofPlugin(pluginId, true);
    }

    @Override
    public Iterable<PluginInstance> unprovedOf(PluginId pluginId) {
        return ofPlugin(pluginId, false);
    }

    private Iterable<PluginInstance> ofPlugin(PluginId pluginId, boolean proved) {
        return table(RowType.INSTANCES).values().stream()
                .filter(instance ->
                        instance.proved() == proved && instance.key().pluginId().equals(pluginId))
                .sorted(Comparator.comparing((PluginInstance i) -> i.key().type())
                        .thenComparing(PluginInstance::key))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return proved(key -> key.pluginId().equals(pluginId) && key.type() == type);
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return table(RowType.DEPLOYMENTS).values().stream()
                .filter(deployment -> deployment.expected().containsKey(pluginId))
                .toList();
    }

    @Override
    public void putVolume(Volume volume) {
        volumes.put(volume.key(), volume);
    }

    @Override
    public void removeVolume(VolumeKey key) {
        volumes.remove(key);
    }
}

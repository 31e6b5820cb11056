package io.csi4j.benchmarks.state;

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
import io.csi4j.core.internal.apply.CommandApplication;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A minimal state in hash maps, with which the store is compared. It has the rows and indexes of the store and makes
 * the same decisions, but has no versions, order, rollback or watches. A command on it costs only the decision and the
 * changes of the maps.
 */
final class HashMapState implements WritableState {
    private record NodePlugin(NodeId nodeId, PluginId pluginId) {}

    private record PluginKind(PluginId pluginId, PluginType type) {}

    private record External(PluginId pluginId, String id) {}

    private final Map<VolumeKey, Volume> volumes = new HashMap<>();
    private final List<Map<?, ?>> tables =
            Stream.<Map<?, ?>>generate(HashMap::new).limit(RowType.count()).toList();
    private final Map<PluginId, Set<VolumeKey>> byPlugin = new HashMap<>();
    private final Map<External, VolumeKey> byExternalId = new HashMap<>();
    private final Map<NodePlugin, Set<VolumeKey>> byNode = new HashMap<>();
    private final Map<AllocationId, Set<VolumeKey>> byAllocation = new HashMap<>();
    private final Set<VolumeKey> unsettled = new HashSet<>();
    private final Map<NodePlugin, Set<PluginInstance>> instancesByNode = new HashMap<>();
    private final Map<PluginKind, Set<PluginInstance>> instancesByKind = new HashMap<>();
    private final Map<NodeId, Set<Allocation>> allocationsByNode = new HashMap<>();
    private long index;

    Outcome apply(Command command) {
        Outcome outcome = CommandApplication.apply(this, index + 1, command);
        index++;
        return outcome;
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
    public void putVolume(Volume volume) {
        Volume before = volumes.put(volume.key(), volume);
        index(before, volume);
    }

    @Override
    public void removeVolume(VolumeKey key) {
        Volume before = volumes.remove(key);
        if (before != null) {
            byPlugin.getOrDefault(before.pluginId(), new HashSet<>()).remove(key);
            before.externalVolumeId().ifPresent(id -> byExternalId.remove(new External(before.pluginId(), id.value())));
            unsettled.remove(key);
            before.firstClaim().ifPresent(first -> {
                remove(byAllocation, first.allocationId(), key);
                remove(byNode, new NodePlugin(first.nodeId(), before.pluginId()), key);
            });
            before.owner().flatMap(VolumeOwner::ofAllocation).ifPresent(owner -> remove(byAllocation, owner, key));
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private void index(Volume before, Volume after) {
        VolumeKey key = after.key();
        if (before == null) {
            byPlugin.computeIfAbsent(after.pluginId(), id -> new HashSet<>()).add(key);
        }
        if (before == null || before.spec() != after.spec() || before.facts() != after.facts()) {
            after.externalVolumeId().ifPresent(id -> byExternalId.put(new External(after.pluginId(), id.value()), key));
        }
        boolean isUnsettled = after.unsettled();
        if (isUnsettled != (before != null && before.unsettled())) {
            if (isUnsettled) {
                unsettled.add(key);
            } else {
                unsettled.remove(key);
            }
        }
        if (before != null && before.claims() != after.claims()) {
            after.claims().changesSince(before.claims(), (oldClaim, newClaim) -> {
                Claim claim = oldClaim != null ? oldClaim : newClaim;
                if (claim != null) {
                    concerned(before, after, claim.allocationId(), claim.nodeId());
                }
            });
        }
        FirstClaim oldFirst = before == null ? null : before.firstClaim().orElse(null);
        FirstClaim newFirst = after.firstClaim().orElse(null);
        if (oldFirst != newFirst) {
            if (oldFirst != null) {
                concerned(before, after, oldFirst.allocationId(), oldFirst.nodeId());
            }
            if (newFirst != null) {
                concerned(before, after, newFirst.allocationId(), newFirst.nodeId());
            }
        }
        if (before == null) {
            after.owner().flatMap(VolumeOwner::ofAllocation).ifPresent(owner -> add(byAllocation, owner, key));
        }
    }

    private void concerned(Volume before, Volume after, AllocationId allocation, NodeId node) {
        VolumeKey key = after.key();
        boolean concerned = before != null && before.concerns(allocation);
        change(byAllocation, allocation, key, concerned, after.concerns(allocation));
        boolean used = before != null && before.isOn(node);
        change(byNode, new NodePlugin(node, after.pluginId()), key, used, after.isOn(node));
    }

    private static <K, V> void change(Map<K, Set<V>> index, K key, V value, boolean before, boolean now) {
        if (now && !before) {
            add(index, key, value);
        } else if (before && !now) {
            remove(index, key, value);
        }
    }

    private static <K, V> void add(Map<K, Set<V>> index, K key, V value) {
        index.computeIfAbsent(key, k -> new HashSet<>(4)).add(value);
    }

    private static <K, V> void remove(Map<K, Set<V>> index, K key, V value) {
        Set<V> values = index.get(key);
        if (values != null && values.remove(value) && values.isEmpty()) {
            index.remove(key);
        }
    }

    @Override
    public ListPage<Volume, VolumeKey> volumes(VolumeQuery query) {
        List<Volume> found = new ArrayList<>();
        for (Volume volume : volumes.values()) {
            if (query.matches(volume)) {
                found.add(volume);
            }
        }
        return new ListPage<>(found, Optional.empty());
    }

    @Override
    public Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId) {
        return Optional.ofNullable(byExternalId.get(new External(pluginId, externalVolumeId.value())));
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
        return byPlugin.getOrDefault(pluginId, Set.of());
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId) {
        Set<VolumeKey> keys = new LinkedHashSet<>();
        byNode.forEach((nodePlugin, found) -> {
            if (nodePlugin.nodeId().equals(nodeId)) {
                keys.addAll(found);
            }
        });
        return keys;
    }

    @Override
    public Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId) {
        return byNode.getOrDefault(new NodePlugin(nodeId, pluginId), Set.of());
    }

    @Override
    public Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId) {
        return byAllocation.getOrDefault(allocationId, Set.of());
    }

    @Override
    public Iterable<VolumeKey> unsettledVolumes() {
        return unsettled;
    }

    @SuppressWarnings("unchecked")
    private <K, R> Map<K, R> table(RowType<K, R> type) {
        return (Map<K, R>) tables.get(type.ordinal());
    }

    @Override
    public <K, R> Optional<R> row(RowType<K, R> type, K key) {
        return Optional.ofNullable(table(type).get(key));
    }

    @Override
    public <K, R> Iterable<R> rows(RowType<K, R> type) {
        return table(type).values();
    }

    @Override
    public Object version(RowType<?, ?> type) {
        return Map.copyOf(table(type));
    }

    @Override
    public <K, R> void put(RowType<K, R> type, R row) {
        R before = table(type).put(type.key(row), row);
        if (before != null) {
            unindex(before);
        }
        if (row instanceof Allocation allocation) {
            add(allocationsByNode, allocation.nodeId(), allocation);
        } else if (row instanceof PluginInstance instance) {
            add(instancesByNode, nodePlugin(instance), instance);
            add(instancesByKind, pluginKind(instance), instance);
        }
    }

    @Override
    public <K, R> void remove(RowType<K, R> type, K key) {
        R before = table(type).remove(key);
        if (before != null) {
            unindex(before);
        }
    }

    private void unindex(Object before) {
        if (before instanceof Allocation allocation) {
            remove(allocationsByNode, allocation.nodeId(), allocation);
        } else if (before instanceof PluginInstance instance) {
            remove(instancesByNode, nodePlugin(instance), instance);
            remove(instancesByKind, pluginKind(instance), instance);
        }
    }

    private static NodePlugin nodePlugin(PluginInstance instance) {
        return new NodePlugin(instance.key().nodeId(), instance.key().pluginId());
    }

    private static PluginKind pluginKind(PluginInstance instance) {
        return new PluginKind(instance.key().pluginId(), instance.key().type());
    }

    @Override
    public Iterable<Node> unsettledNodes() {
        return List.of();
    }

    @Override
    public Iterable<SnapshotKey> snapshotsOf(VolumeKey source) {
        return List.of();
    }

    @Override
    public Iterable<VolumeSnapshot> unsettledSnapshots() {
        return List.of();
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return allocationsByNode.getOrDefault(nodeId, Set.of());
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return table(RowType.INSTANCES).values().stream()
                .filter(instance -> instance.key().nodeId().equals(nodeId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return instancesByNode.getOrDefault(new NodePlugin(nodeId, pluginId), Set.of());
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return table(RowType.INSTANCES).values().stream()
                .filter(instance -> instance.key().pluginId().equals(pluginId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return instancesByKind.getOrDefault(new PluginKind(pluginId, type), Set.of());
    }

    @Override
    public Iterable<RequestedClaims> requestedClaimsOf(AllocationId allocationId) {
        return table(RowType.REQUESTED_CLAIMS).values().stream()
                .filter(requested -> requested.allocationId().equals(allocationId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> unprovedOf(PluginId pluginId) {
        return List.of();
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return table(RowType.DEPLOYMENTS).values().stream()
                .filter(deployment -> deployment.expected().containsKey(pluginId))
                .toList();
    }
}

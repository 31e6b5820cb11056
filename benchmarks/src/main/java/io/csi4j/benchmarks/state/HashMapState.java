package io.csi4j.benchmarks.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.CommandApplication;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

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
    private final Map<NodeId, Node> nodes = new HashMap<>();
    private final Map<AllocationId, Allocation> allocations = new HashMap<>();
    private final Map<InstanceKey, PluginInstance> instances = new HashMap<>();
    private final Map<DeploymentId, PluginDeployment> deployments = new HashMap<>();
    private final Map<PluginId, PluginFacts> facts = new HashMap<>();
    private final TreeMap<Leftover.Key, Leftover> leftovers = new TreeMap<>();
    private final TreeMap<WithdrawnCreation.Key, WithdrawnCreation> withdrawn = new TreeMap<>();

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
                if (oldClaim == null && newClaim != null) {
                    add(byAllocation, newClaim.allocationId(), key);
                } else if (oldClaim != null && newClaim == null) {
                    remove(byAllocation, oldClaim.allocationId(), key);
                }
                NodeId nodeId = oldClaim != null ? oldClaim.nodeId() : newClaim != null ? newClaim.nodeId() : null;
                if (nodeId != null && before.isOn(nodeId) != after.isOn(nodeId)) {
                    NodePlugin nodePlugin = new NodePlugin(nodeId, after.pluginId());
                    if (after.isOn(nodeId)) {
                        add(byNode, nodePlugin, key);
                    } else {
                        remove(byNode, nodePlugin, key);
                    }
                }
            });
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
    public VolumePage volumes(VolumeQuery query) {
        List<Volume> found = new ArrayList<>();
        for (Volume volume : volumes.values()) {
            if (query.matches(volume)) {
                found.add(volume);
            }
        }
        return new VolumePage(found, Optional.empty());
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

    @Override
    public Optional<Leftover> leftover(Leftover.Key key) {
        return Optional.ofNullable(leftovers.get(key));
    }

    @Override
    public Iterable<Leftover> leftovers() {
        return List.copyOf(leftovers.values());
    }

    @Override
    public Optional<WithdrawnCreation> withdrawnCreation(WithdrawnCreation.Key key) {
        return Optional.ofNullable(withdrawn.get(key));
    }

    @Override
    public Iterable<WithdrawnCreation> withdrawnCreations() {
        return List.copyOf(withdrawn.values());
    }

    @Override
    public Optional<Node> node(NodeId nodeId) {
        return Optional.ofNullable(nodes.get(nodeId));
    }

    @Override
    public Iterable<Node> nodes() {
        return nodes.values();
    }

    @Override
    public void putLeftover(Leftover leftover) {
        leftovers.put(leftover.key(), leftover);
    }

    @Override
    public void removeLeftover(Leftover.Key key) {
        leftovers.remove(key);
    }

    @Override
    public void putWithdrawnCreation(WithdrawnCreation creation) {
        withdrawn.put(creation.key(), creation);
    }

    @Override
    public void removeWithdrawnCreation(WithdrawnCreation.Key key) {
        withdrawn.remove(key);
    }

    @Override
    public Iterable<Node> unsettledNodes() {
        return List.of();
    }

    @Override
    public void putNode(Node node) {
        nodes.put(node.id(), node);
    }

    @Override
    public void removeNode(NodeId nodeId) {
        nodes.remove(nodeId);
    }

    @Override
    public Optional<Allocation> allocation(AllocationId allocationId) {
        return Optional.ofNullable(allocations.get(allocationId));
    }

    @Override
    public Iterable<Allocation> allocations() {
        return allocations.values();
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return allocationsByNode.getOrDefault(nodeId, Set.of());
    }

    @Override
    public void putAllocation(Allocation allocation) {
        Allocation before = allocations.put(allocation.id(), allocation);
        if (before != null) {
            remove(allocationsByNode, before.nodeId(), before);
        }
        add(allocationsByNode, allocation.nodeId(), allocation);
    }

    @Override
    public void removeAllocation(AllocationId allocationId) {
        Allocation before = allocations.remove(allocationId);
        if (before != null) {
            remove(allocationsByNode, before.nodeId(), before);
        }
    }

    @Override
    public Optional<PluginInstance> instance(InstanceKey key) {
        return Optional.ofNullable(instances.get(key));
    }

    @Override
    public Iterable<PluginInstance> instances() {
        return instances.values();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return instances.values().stream()
                .filter(instance -> instance.key().nodeId().equals(nodeId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return instancesByNode.getOrDefault(new NodePlugin(nodeId, pluginId), Set.of());
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return instances.values().stream()
                .filter(instance -> instance.key().pluginId().equals(pluginId))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return instancesByKind.getOrDefault(new PluginKind(pluginId, type), Set.of());
    }

    @Override
    public void putInstance(PluginInstance instance) {
        removeInstance(instance.key());
        instances.put(instance.key(), instance);
        add(
                instancesByNode,
                new NodePlugin(instance.key().nodeId(), instance.key().pluginId()),
                instance);
        add(
                instancesByKind,
                new PluginKind(instance.key().pluginId(), instance.key().type()),
                instance);
    }

    @Override
    public void removeInstance(InstanceKey key) {
        PluginInstance before = instances.remove(key);
        if (before != null) {
            remove(instancesByNode, new NodePlugin(key.nodeId(), key.pluginId()), before);
            remove(instancesByKind, new PluginKind(key.pluginId(), key.type()), before);
        }
    }

    @Override
    public Optional<PluginDeployment> deployment(DeploymentId deploymentId) {
        return Optional.ofNullable(deployments.get(deploymentId));
    }

    @Override
    public Iterable<PluginDeployment> deployments() {
        return deployments.values();
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return deployments.values().stream()
                .filter(deployment -> deployment.expected().containsKey(pluginId))
                .toList();
    }

    @Override
    public void putDeployment(PluginDeployment deployment) {
        deployments.put(deployment.id(), deployment);
    }

    @Override
    public void removeDeployment(DeploymentId deploymentId) {
        deployments.remove(deploymentId);
    }

    @Override
    public Optional<PluginFacts> facts(PluginId pluginId) {
        return Optional.ofNullable(facts.get(pluginId));
    }

    @Override
    public Iterable<PluginFacts> facts() {
        return facts.values();
    }

    @Override
    public void putFacts(PluginFacts row) {
        facts.put(row.pluginId(), row);
    }

    @Override
    public void removeFacts(PluginId pluginId) {
        facts.remove(pluginId);
    }
}

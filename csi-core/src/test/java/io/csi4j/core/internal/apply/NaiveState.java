package io.csi4j.core.internal.apply;

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
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * A state without indexes, which reads all rows for every query. Tests compare faster implementations with this simple
 * one. Not safe for use by several threads.
 */
public final class NaiveState implements WritableState {
    private final TreeMap<VolumeKey, Volume> volumes = new TreeMap<>();
    private final TreeMap<NodeId, Node> nodes = new TreeMap<>();
    private final TreeMap<AllocationId, Allocation> allocations = new TreeMap<>();
    private final TreeMap<InstanceKey, PluginInstance> instances = new TreeMap<>();
    private final TreeMap<DeploymentId, PluginDeployment> deployments = new TreeMap<>();
    private final TreeMap<PluginId, PluginFacts> facts = new TreeMap<>();
    private final TreeMap<Leftover.Key, Leftover> leftovers = new TreeMap<>();
    private final TreeMap<WithdrawnCreation.Key, WithdrawnCreation> withdrawn = new TreeMap<>();
    private long index;

    /** Returns another state with the same rows. */
    public NaiveState copy() {
        NaiveState copy = new NaiveState();
        copy.become(this);
        return copy;
    }

    private void become(NaiveState other) {
        replace(volumes, other.volumes);
        replace(nodes, other.nodes);
        replace(allocations, other.allocations);
        replace(instances, other.instances);
        replace(deployments, other.deployments);
        replace(facts, other.facts);
        replace(leftovers, other.leftovers);
        replace(withdrawn, other.withdrawn);
        index = other.index;
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
        return volumes.equals(other.volumes)
                && nodes.equals(other.nodes)
                && allocations.equals(other.allocations)
                && instances.equals(other.instances)
                && deployments.equals(other.deployments)
                && facts.equals(other.facts)
                && leftovers.equals(other.leftovers)
                && withdrawn.equals(other.withdrawn);
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
    public VolumePage volumes(VolumeQuery query) {
        List<Volume> rest = volumes.values().stream()
                .filter(volume -> query.after()
                        .map(after -> volume.key().compareTo(after) > 0)
                        .orElse(true))
                .filter(query::matches)
                .toList();
        List<Volume> items = rest.subList(0, Math.min(rest.size(), query.limit()));
        return new VolumePage(
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
        return keys(volume -> volume.claims().get(allocationId).isPresent());
    }

    @Override
    public Iterable<VolumeKey> unsettledVolumes() {
        return keys(Volume::unsettled);
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
        return List.copyOf(nodes.values());
    }

    @Override
    public Iterable<Node> unsettledNodes() {
        return nodes.values().stream()
                .filter(node -> !node.ledger().isSettled())
                .toList();
    }

    @Override
    public Optional<Allocation> allocation(AllocationId allocationId) {
        return Optional.ofNullable(allocations.get(allocationId));
    }

    @Override
    public Iterable<Allocation> allocations() {
        return List.copyOf(allocations.values());
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return allocations.values().stream()
                .filter(allocation -> allocation.nodeId().equals(nodeId))
                .toList();
    }

    @Override
    public Optional<PluginInstance> instance(InstanceKey key) {
        return Optional.ofNullable(instances.get(key));
    }

    @Override
    public Iterable<PluginInstance> instances() {
        return List.copyOf(instances.values());
    }

    private Iterable<PluginInstance> instances(Predicate<InstanceKey> which) {
        return instances.values().stream()
                .filter(instance -> which.test(instance.key()))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId) {
        return instances(key -> key.nodeId().equals(nodeId));
    }

    @Override
    public Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId) {
        return instances(key -> key.nodeId().equals(nodeId) && key.pluginId().equals(pluginId));
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId) {
        return instances.values().stream()
                .filter(instance -> instance.key().pluginId().equals(pluginId))
                .sorted(Comparator.comparing((PluginInstance i) -> i.key().type())
                        .thenComparing(PluginInstance::key))
                .toList();
    }

    @Override
    public Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type) {
        return instances(key -> key.pluginId().equals(pluginId) && key.type() == type);
    }

    @Override
    public Optional<PluginDeployment> deployment(DeploymentId deploymentId) {
        return Optional.ofNullable(deployments.get(deploymentId));
    }

    @Override
    public Iterable<PluginDeployment> deployments() {
        return List.copyOf(deployments.values());
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return deployments.values().stream()
                .filter(deployment -> deployment.expected().containsKey(pluginId))
                .toList();
    }

    @Override
    public Optional<PluginFacts> facts(PluginId pluginId) {
        return Optional.ofNullable(facts.get(pluginId));
    }

    @Override
    public Iterable<PluginFacts> facts() {
        return List.copyOf(facts.values());
    }

    @Override
    public void putVolume(Volume volume) {
        volumes.put(volume.key(), volume);
    }

    @Override
    public void removeVolume(VolumeKey key) {
        volumes.remove(key);
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
    public void putNode(Node node) {
        nodes.put(node.id(), node);
    }

    @Override
    public void removeNode(NodeId nodeId) {
        nodes.remove(nodeId);
    }

    @Override
    public void putAllocation(Allocation allocation) {
        allocations.put(allocation.id(), allocation);
    }

    @Override
    public void removeAllocation(AllocationId allocationId) {
        allocations.remove(allocationId);
    }

    @Override
    public void putInstance(PluginInstance instance) {
        instances.put(instance.key(), instance);
    }

    @Override
    public void removeInstance(InstanceKey key) {
        instances.remove(key);
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
    public void putFacts(PluginFacts row) {
        facts.put(row.pluginId(), row);
    }

    @Override
    public void removeFacts(PluginId pluginId) {
        facts.remove(pluginId);
    }
}

package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
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
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
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
    public VolumePage volumes(VolumeQuery query) {
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
    public Iterable<VolumeKey> unsettledVolumes() {
        return base.unsettledVolumes();
    }

    @Override
    public Optional<Leftover> leftover(Leftover.Key leftoverKey) {
        return base.leftover(leftoverKey);
    }

    @Override
    public Iterable<Leftover> leftovers() {
        return base.leftovers();
    }

    @Override
    public Optional<WithdrawnCreation> withdrawnCreation(WithdrawnCreation.Key name) {
        return base.withdrawnCreation(name);
    }

    @Override
    public Iterable<WithdrawnCreation> withdrawnCreations() {
        return base.withdrawnCreations();
    }

    @Override
    public Optional<Node> node(NodeId nodeId) {
        return base.node(nodeId);
    }

    @Override
    public Iterable<Node> nodes() {
        return base.nodes();
    }

    @Override
    public Iterable<Node> unsettledNodes() {
        return base.unsettledNodes();
    }

    @Override
    public Optional<Allocation> allocation(AllocationId allocationId) {
        return base.allocation(allocationId);
    }

    @Override
    public Iterable<Allocation> allocations() {
        return base.allocations();
    }

    @Override
    public Iterable<Allocation> allocationsOn(NodeId nodeId) {
        return base.allocationsOn(nodeId);
    }

    @Override
    public Optional<PluginInstance> instance(InstanceKey key) {
        return base.instance(key);
    }

    @Override
    public Iterable<PluginInstance> instances() {
        return base.instances();
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
    public Optional<PluginDeployment> deployment(DeploymentId deploymentId) {
        return base.deployment(deploymentId);
    }

    @Override
    public Iterable<PluginDeployment> deployments() {
        return base.deployments();
    }

    @Override
    public Iterable<PluginDeployment> deploymentsOf(PluginId pluginId) {
        return base.deploymentsOf(pluginId);
    }

    @Override
    public Optional<PluginFacts> facts(PluginId pluginId) {
        return base.facts(pluginId);
    }

    @Override
    public Iterable<PluginFacts> facts() {
        return base.facts();
    }

    @Override
    public PluginView plugin(PluginId pluginId) {
        return base.plugin(pluginId);
    }

    @Override
    public void putLeftover(Leftover leftover) {}

    @Override
    public void removeLeftover(Leftover.Key leftoverKey) {}

    @Override
    public void putWithdrawnCreation(WithdrawnCreation creation) {}

    @Override
    public void removeWithdrawnCreation(WithdrawnCreation.Key name) {}

    @Override
    public void putNode(Node node) {}

    @Override
    public void removeNode(NodeId nodeId) {}

    @Override
    public void putAllocation(Allocation allocation) {}

    @Override
    public void removeAllocation(AllocationId allocationId) {}

    @Override
    public void putInstance(PluginInstance instance) {}

    @Override
    public void removeInstance(InstanceKey key) {}

    @Override
    public void putDeployment(PluginDeployment deployment) {}

    @Override
    public void removeDeployment(DeploymentId deploymentId) {}

    @Override
    public void putFacts(PluginFacts facts) {}

    @Override
    public void removeFacts(PluginId pluginId) {}
}

package io.csi4j.core.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.ExternalVolumeId;
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
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * Every question there is about the state, answered as of one index. A snapshot and a write
 * transaction both are one, so a query inside a transaction sees that transaction (S10).
 *
 * <p>All orders are those of the keys. An {@link Iterable} is a view to be walked at once: inside a
 * write transaction it must be done with before the next write, and a caller that writes while it
 * walks collects first.
 */
public interface StateReader {
    /**
     * The index of the last command in this state.
     *
     * @return 0 before the first one
     */
    long index();

    /**
     * A volume.
     *
     * @return empty: there is none
     */
    Optional<Volume> volume(VolumeKey key);

    /**
     * Volumes by any combination of namespace, id prefix, plugin and node, a page at a time.
     *
     * @param query what to list
     * @return one page, in key order
     */
    VolumePage volumes(VolumeQuery query);

    /**
     * The volume that stands for a provider's volume: those with an {@link Volume#externalVolumeId()} are unique by
     * plugin and that id (N9).
     *
     * @param externalVolumeId the provider's id
     * @return empty: there is none
     */
    Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId);

    /**
     * The volumes of a plugin.
     *
     * @return in key order
     */
    Iterable<VolumeKey> volumesOf(PluginId pluginId);

    /**
     * The volumes that have a claim or an attachment on a node.
     *
     * @return in key order, each once
     */
    Iterable<VolumeKey> volumesOn(NodeId nodeId);

    /**
     * The volumes of one plugin that have a claim or an attachment on a node.
     *
     * @return in key order, each once
     */
    Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId);

    /**
     * The volumes an allocation claims.
     *
     * @return in key order
     */
    Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId);

    /**
     * The volumes for which something remains to be done.
     *
     * @return those with {@link Volume#unsettled()}, in key order
     */
    Iterable<VolumeKey> unsettledVolumes();

    /**
     * A node.
     *
     * @return empty: there is none
     */
    Optional<Node> node(NodeId nodeId);

    /**
     * All nodes.
     *
     * @return in order of their ids
     */
    Iterable<Node> nodes();

    /**
     * An allocation.
     *
     * @return empty: there is none
     */
    Optional<Allocation> allocation(AllocationId allocationId);

    /**
     * All allocations.
     *
     * @return in order of their ids
     */
    Iterable<Allocation> allocations();

    /**
     * The allocations placed on a node.
     *
     * @return in order of their ids
     */
    Iterable<Allocation> allocationsOn(NodeId nodeId);

    /**
     * A plugin instance.
     *
     * @return empty: there is none
     */
    Optional<PluginInstance> instance(InstanceKey key);

    /**
     * All plugin instances.
     *
     * @return in key order
     */
    Iterable<PluginInstance> instances();

    /**
     * The plugin instances on a node.
     *
     * @return in key order
     */
    Iterable<PluginInstance> instancesOn(NodeId nodeId);

    /**
     * The instances of one plugin on a node.
     *
     * @return in key order
     */
    Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId);

    /**
     * The instances of a plugin.
     *
     * @return by type, then in key order
     */
    Iterable<PluginInstance> instancesOf(PluginId pluginId);

    /**
     * The instances of a plugin that are of one type.
     *
     * @param type the type
     * @return in key order
     */
    Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type);

    /**
     * A plugin deployment.
     *
     * @param deploymentId its id
     * @return empty: there is none
     */
    Optional<PluginDeployment> deployment(DeploymentId deploymentId);

    /**
     * All plugin deployments.
     *
     * @return in order of their ids
     */
    Iterable<PluginDeployment> deployments();

    /**
     * The deployments that name a plugin.
     *
     * @return in order of their ids
     */
    Iterable<PluginDeployment> deploymentsOf(PluginId pluginId);

    /**
     * The last known good facts about a plugin.
     *
     * @return empty: none are known
     */
    Optional<PluginFacts> facts(PluginId pluginId);

    /**
     * The last known good facts about all plugins.
     *
     * @return in order of the plugins' ids
     */
    Iterable<PluginFacts> facts();

    /**
     * A plugin as it is now, computed from its rows. It exists while it is not {@linkplain PluginView#isEmpty()
     * empty}.
     *
     * @return the view, possibly empty
     */
    default PluginView plugin(PluginId pluginId) {
        return PluginView.of(pluginId, instancesOf(pluginId), deploymentsOf(pluginId), facts(pluginId));
    }
}

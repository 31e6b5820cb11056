package io.csi4j.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.internal.tree.Tree;

/**
 * All trees of one version. Belongs to one transaction while it is written, and is never changed any more once it
 * is published.
 */
final class Tables {
    long index;

    Tree<VolumeKey, Volume> volumes = Tree.empty(Keys.VOLUMES);
    Tree<NodeId, Node> nodes = Tree.empty(Keys.NODES);
    Tree<AllocationId, Allocation> allocations = Tree.empty(Keys.ALLOCATIONS);
    Tree<InstanceKey, PluginInstance> instances = Tree.empty(Keys.INSTANCES);
    Tree<DeploymentId, PluginDeployment> deployments = Tree.empty(Keys.DEPLOYMENTS);
    Tree<PluginId, PluginFacts> facts = Tree.empty(Keys.FACTS);

    Tree<PluginId, Group<PluginId, VolumeKey>> volumesOfPlugin = Tree.empty(Keys.VOLUMES_OF_PLUGIN);
    Tree<ExternalEntry, ExternalEntry> volumesByExternalId = Tree.empty(Keys.EXTERNAL);
    Tree<UseEntry, UseEntry> uses = Tree.empty(Keys.USES);
    Tree<ClaimEntry, ClaimEntry> claims = Tree.empty(Keys.CLAIMS);
    Tree<VolumeKey, VolumeKey> unsettled = Tree.empty(Keys.VOLUME_KEYS);
    Tree<NodeId, Group<NodeId, AllocationId>> allocationsOnNode = Tree.empty(Keys.ALLOCATIONS_ON_NODE);
    Tree<PluginId, Group<PluginId, DeploymentId>> deploymentsOfPlugin = Tree.empty(Keys.DEPLOYMENTS_OF_PLUGIN);
    /** The rows themselves: they are read far more often than a node tells anew. */
    Tree<InstanceKey, PluginInstance> instancesByPlugin = Tree.empty(Keys.INSTANCES_BY_PLUGIN);

    Tables() {}

    /** The same version, to be changed by a transaction. */
    Tables(Tables base) {
        index = base.index;
        volumes = base.volumes;
        nodes = base.nodes;
        allocations = base.allocations;
        instances = base.instances;
        deployments = base.deployments;
        facts = base.facts;
        volumesOfPlugin = base.volumesOfPlugin;
        volumesByExternalId = base.volumesByExternalId;
        uses = base.uses;
        claims = base.claims;
        unsettled = base.unsettled;
        allocationsOnNode = base.allocationsOnNode;
        deploymentsOfPlugin = base.deploymentsOfPlugin;
        instancesByPlugin = base.instancesByPlugin;
    }
}

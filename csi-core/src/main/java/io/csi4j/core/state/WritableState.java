package io.csi4j.core.state;

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

/**
 * A state whose rows can be changed: what a store lets {@link CommandApplication} write to. It decides
 * nothing. A put replaces the row of the same key; removing a row that is not there does nothing.
 * Every read after a write sees it, through every index.
 *
 * <p>Rows that were written before a command turned out to be rejected are to be discarded by the
 * store: see {@link CommandApplication#apply}.
 */
public interface WritableState extends StateReader {
    /** Stores a volume under its key. */
    void putVolume(Volume volume);

    /** Removes a volume. */
    void removeVolume(VolumeKey key);

    /** Stores a node under its id. */
    void putNode(Node node);

    /** Removes a node. */
    void removeNode(NodeId nodeId);

    /** Stores an allocation under its id. */
    void putAllocation(Allocation allocation);

    /** Removes an allocation. */
    void removeAllocation(AllocationId allocationId);

    /** Stores a plugin instance under its key. */
    void putInstance(PluginInstance instance);

    /** Removes a plugin instance. */
    void removeInstance(InstanceKey key);

    /**
     * Stores a plugin deployment under its id.
     *
     * @param deployment the row
     */
    void putDeployment(PluginDeployment deployment);

    /**
     * Removes a plugin deployment.
     *
     * @param deploymentId its id
     */
    void removeDeployment(DeploymentId deploymentId);

    /** Stores the facts about a plugin under its id. */
    void putFacts(PluginFacts facts);

    /** Removes the facts about a plugin. */
    void removeFacts(PluginId pluginId);
}

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
    /**
     * Stores a volume under its key.
     *
     * @param volume the row
     */
    void putVolume(Volume volume);

    /**
     * Removes a volume.
     *
     * @param key its key
     */
    void removeVolume(VolumeKey key);

    /**
     * Stores a node under its id.
     *
     * @param node the row
     */
    void putNode(Node node);

    /**
     * Removes a node.
     *
     * @param nodeId its id
     */
    void removeNode(NodeId nodeId);

    /**
     * Stores an allocation under its id.
     *
     * @param allocation the row
     */
    void putAllocation(Allocation allocation);

    /**
     * Removes an allocation.
     *
     * @param allocationId its id
     */
    void removeAllocation(AllocationId allocationId);

    /**
     * Stores a plugin instance under its key.
     *
     * @param instance the row
     */
    void putInstance(PluginInstance instance);

    /**
     * Removes a plugin instance.
     *
     * @param key its key
     */
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

    /**
     * Stores the facts about a plugin under its id.
     *
     * @param facts the row
     */
    void putFacts(PluginFacts facts);

    /**
     * Removes the facts about a plugin.
     *
     * @param pluginId its id
     */
    void removeFacts(PluginId pluginId);
}

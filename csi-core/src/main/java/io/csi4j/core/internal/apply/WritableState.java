package io.csi4j.core.internal.apply;

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
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;

/**
 * A state to which {@link CommandApplication} writes rows. Storing a row replaces the row with the same key; removing
 * a missing row has no effect. Every later read, through every index, sees the write.
 *
 * <p>If a command is rejected, the store must discard the rows that it wrote: see {@link CommandApplication#apply}.
 */
public interface WritableState extends StateReader {
    void putVolume(Volume volume);

    void removeVolume(VolumeKey key);

    void putLeftover(Leftover leftover);

    void removeLeftover(Leftover.Key key);

    void putWithdrawnCreation(WithdrawnCreation creation);

    void removeWithdrawnCreation(WithdrawnCreation.Key key);

    void putNode(Node node);

    void removeNode(NodeId nodeId);

    void putAllocation(Allocation allocation);

    void removeAllocation(AllocationId allocationId);

    void putInstance(PluginInstance instance);

    void removeInstance(InstanceKey key);

    void putDeployment(PluginDeployment deployment);

    void removeDeployment(DeploymentId deploymentId);

    void putFacts(PluginFacts facts);

    void removeFacts(PluginId pluginId);
}

package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.RowType;
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

    <K, R> void put(RowType<K, R> type, R row);

    <K, R> void remove(RowType<K, R> type, K key);

    default void putLeftover(Leftover leftover) {
        put(RowType.LEFTOVERS, leftover);
    }

    default void removeLeftover(Leftover.Key key) {
        remove(RowType.LEFTOVERS, key);
    }

    default void putWithdrawnCreation(WithdrawnCreation creation) {
        put(RowType.WITHDRAWN_CREATIONS, creation);
    }

    default void removeWithdrawnCreation(WithdrawnCreation.Key key) {
        remove(RowType.WITHDRAWN_CREATIONS, key);
    }

    default void putRequestedClaims(RequestedClaims requested) {
        put(RowType.REQUESTED_CLAIMS, requested);
    }

    default void removeRequestedClaims(RequestedClaims.Key key) {
        remove(RowType.REQUESTED_CLAIMS, key);
    }

    default void putNode(Node node) {
        put(RowType.NODES, node);
    }

    default void removeNode(NodeId nodeId) {
        remove(RowType.NODES, nodeId);
    }

    default void putAllocation(Allocation allocation) {
        put(RowType.ALLOCATIONS, allocation);
    }

    default void removeAllocation(AllocationId allocationId) {
        remove(RowType.ALLOCATIONS, allocationId);
    }

    default void putInstance(PluginInstance instance) {
        put(RowType.INSTANCES, instance);
    }

    default void removeInstance(InstanceKey key) {
        remove(RowType.INSTANCES, key);
    }

    default void putDeployment(PluginDeployment deployment) {
        put(RowType.DEPLOYMENTS, deployment);
    }

    default void removeDeployment(DeploymentId deploymentId) {
        remove(RowType.DEPLOYMENTS, deploymentId);
    }

    default void putFacts(PluginFacts facts) {
        put(RowType.FACTS, facts);
    }

    default void removeFacts(PluginId pluginId) {
        remove(RowType.FACTS, pluginId);
    }
}

package io.csi4j.simulation.internal.node;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.world.SimNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The mounts of all nodes: a model of the node side, or the real one. */
public interface NodeSide {
    /** Starts the programs of a new node. */
    void add(SimNode node);

    /** Sets a callback that runs after each restart of an agent. It gets the node, whose agent has lost all grants. */
    void onAgentStart(Consumer<SimNode> receiver);

    /** Answers the engine's call to unmount a volume. */
    void detach(SimCall<NodeDetached> call, SimNode node, NodeDetach request);

    /** Answers the engine's question what the node has mounted. */
    void ledger(SimCall<LedgerReport> call, SimNode node);

    /** Answers the engine's call to expand a volume. */
    void expand(SimCall<NodeExpansion> call, SimNode node, NodeExpand request);

    /** Whether the node works on the volume, so that {@link #mount} and {@link #unmount} have to wait. */
    boolean isBusy(SimNode node, VolumeKey volume);

    /**
     * Mounts a granted volume at a target for each different mount. The future completes when all are mounted; it never
     * completes if the agent crashes first.
     *
     * @param mounts the mounts of the allocation, also those of other volumes
     */
    CompletableFuture<?> mount(SimNode node, VolumeGrant grant, List<ClaimRequest> mounts);

    /**
     * Unmounts a volume without the engine. The future completes when the volume is unmounted; it never completes if
     * the agent crashes first.
     */
    CompletableFuture<?> unmount(SimNode node, VolumeKey volume, AllocationId allocationId);

    /** Whether the node may still mount a volume because of an earlier request. */
    boolean mayMountLater(SimNode node);

    /** Whether the agent may have mounted a volume, or may still make mounts that it was asked for earlier. */
    boolean mayHaveMounted(SimNode node, VolumeKey volume);

    /** Ends the faults on the nodes: from now on no program on a node crashes. */
    void settle();

    /** Returns a text that names the volumes that are left on the nodes; empty: no volume is left. */
    String remaining();
}

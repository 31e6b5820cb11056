package io.csi4j.simulation;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.StateReader;
import java.util.Optional;

/**
 * The placement code of a scheduler. A simulation calls it for each workload, in one thread. It must decide from its
 * arguments only, so that a seed can be repeated.
 */
@FunctionalInterface
public interface PlacementPolicy {
    /**
     * Chooses the node of a workload. {@link io.csi4j.core.placement.FeasibleNodes} finds the nodes that can take the
     * claims in a given state.
     *
     * @param request the workload
     * @param state a snapshot of the state
     * <p>The simulation reports a violation if this method throws, names no node of the cluster, names a node that cannot
     * take the claims while another node can, or names none twelve times for one workload while a node can take its claims.
     *
     * @return the node; empty: no node fits now, and the simulation asks again a few seconds later
     */
    Optional<NodeId> place(PlacementRequest request, StateReader state);
}

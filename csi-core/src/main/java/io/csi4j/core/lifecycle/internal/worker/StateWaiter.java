package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;

/** Somebody who waits until something is so for a volume. Called by its lane, one call at a time. */
public interface StateWaiter {
    /**
     * Looks.
     *
     * @param look the volume, as it is in the state the plan was made of
     * @param plan what remains to be done
     * @param calls what is under way
     * @return true: it need not look again
     */
    boolean look(VolumeSnapshot look, Plan plan, InFlightSnapshot calls);

    /**
     * The plugin refused to publish the volume on a node, for good.
     *
     * @param nodeId the node
     * @param failure what it said
     * @return true: it need not look again
     */
    default boolean refused(NodeId nodeId, Throwable failure) {
        return false;
    }

    /**
     * Nobody will look any more: the term is over. Whatever it waited for is to fail.
     */
    void over();
}

package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;

/** Waits for a condition of a volume. The volume's worker calls the methods, one call at a time. */
public interface StateWaiter {
    /**
     * Checks the condition.
     *
     * @param snapshot the volume for which the worker has planned
     * @param plan the remaining work
     * @param calls the calls in flight
     * @return true if the wait has ended
     */
    boolean check(VolumeSnapshot snapshot, Plan plan, InFlightSnapshot calls);

    /**
     * Handles the plugin's permanent refusal to publish the volume on a node.
     *
     * @param failure the plugin's failure
     * @return true if the wait has ended
     */
    default boolean refused(NodeId nodeId, Throwable failure) {
        return false;
    }

    /** Fails the wait, because the term of leadership has ended. */
    void ended();
}

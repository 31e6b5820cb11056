package io.csi4j.simulation;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.StateReader;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The cluster of a simulation, as a {@link SchedulerLoop} sees and changes it. */
public interface SimulatedCluster {
    /** Returns a snapshot of the state. */
    StateReader state();

    /** Returns random numbers that the seed decides. */
    RandomGenerator random();

    /** Returns the workloads that have not ended, in the order of their start. The node of a workload may be down. */
    List<RunningWorkload> running();

    /**
     * Ends a workload, for example to drain its node or to preempt it. Its node reports the end as soon as it answers.
     *
     * @throws IllegalArgumentException if no such workload runs
     */
    void end(AllocationId workload);

    /**
     * Starts a workload, for example the replacement of another one. It claims its volumes and waits until they are free.
     *
     * @return its id; empty if the node does not answer
     * @throws IllegalArgumentException if there is no such node
     * @throws IllegalStateException after more starts in one turn than the simulation permits, which is 20
     */
    Optional<AllocationId> start(SimulatedWorkload workload, NodeId node);
}

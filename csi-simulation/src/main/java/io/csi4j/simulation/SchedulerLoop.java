package io.csi4j.simulation;

/**
 * The part of a scheduler that changes what runs: it drains nodes, replaces workloads, preempts them. A simulation calls it every ten
 * seconds of virtual time while faults occur, in one thread. It must decide from its argument only, so that a seed can be repeated.
 */
@FunctionalInterface
public interface SchedulerLoop {
    /**
     * Makes one turn. The simulation reports a violation if this method throws.
     *
     * @param cluster valid during this turn only
     */
    void run(SimulatedCluster cluster);
}

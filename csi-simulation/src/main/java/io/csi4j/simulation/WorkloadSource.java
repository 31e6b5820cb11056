package io.csi4j.simulation;

import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.random.RandomGenerator;

/** Creates the workloads of a simulation. It must decide from its arguments only, so that a seed can be repeated. */
@FunctionalInterface
public interface WorkloadSource {
    /**
     * Returns the next workload.
     *
     * @param volumes the volumes that can be claimed; each lists its capabilities in its specification
     * @param random random numbers that the seed decides
     */
    SimulatedWorkload next(List<Volume> volumes, RandomGenerator random);
}

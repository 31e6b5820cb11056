package io.csi4j.simulation;

import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Creates the workloads of a simulation. It must use nothing but its arguments, so that two runs with the same seed get
 * the same workloads.
 */
@FunctionalInterface
public interface WorkloadSource {
    /**
     * Returns the next workload.
     *
     * @param volumes the volumes that can be claimed; each lists its capabilities in its specification
     * @param random the only source of random choices; the seed of the run decides its numbers
     */
    SimulatedWorkload next(List<Volume> volumes, RandomGenerator random);
}

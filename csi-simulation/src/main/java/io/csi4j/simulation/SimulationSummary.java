package io.csi4j.simulation;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The result of many simulations.
 *
 * @param seeds the number of seeds that ran; less than requested after a failure
 * @param calls the number of calls that the engines made
 * @param commands the number of applied commands
 * @param seedsByEvent the number of seeds in which each event of {@link LifecycleSimulation#coverage()} occurred; events
 *     that never occurred are missing
 * @param failure the report of a seed that violated an invariant; empty: none did
 */
public record SimulationSummary(
        long seeds, long calls, long commands, Map<String, Long> seedsByEvent, Optional<SimulationReport> failure) {
    public SimulationSummary {
        seedsByEvent = Collections.unmodifiableMap(new TreeMap<>(seedsByEvent));
    }
}

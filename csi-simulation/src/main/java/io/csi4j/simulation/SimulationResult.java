package io.csi4j.simulation;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The result of a simulation.
 *
 * @param seed the seed; the same seed and options give the same result
 * @param violation the first violated invariant; empty: none
 * @param elapsed the virtual time that passed
 * @param steps the number of events
 * @param calls the number of calls that the engine made
 * @param commands the number of applied commands
 * @param covered the events of {@link LifecycleSimulation#coverage()} that occurred
 * @param diagram the last events, as a Mermaid sequence diagram
 */
public record SimulationResult(
        long seed,
        Optional<String> violation,
        Duration elapsed,
        long steps,
        long calls,
        int commands,
        Set<String> covered,
        String diagram) {
    /** Copies the set of events. */
    public SimulationResult {
        covered = Collections.unmodifiableSet(new TreeSet<>(covered));
    }

    /**
     * Whether all invariants held and all releases ended.
     *
     * @return true if there is no violation
     */
    public boolean ok() {
        return violation.isEmpty();
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + violation.orElse("ok") + " after " + elapsed + ", " + steps + " steps, " + calls
                + " calls, " + commands + " commands";
    }
}

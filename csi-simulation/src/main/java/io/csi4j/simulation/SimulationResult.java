package io.csi4j.simulation;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What came of a simulation.
 *
 * @param seed the seed it was made from; the same seed with the same options gives the same again
 * @param violation what must not be; empty: all is well
 * @param elapsed how much virtual time passed
 * @param steps how many things happened
 * @param calls how many calls the engine made
 * @param commands how many commands were applied
 * @param covered what of {@link LifecycleSimulation#coverage()} happened
 * @param diagram the last things that happened, as a Mermaid sequence diagram
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
    /** Copies the set. */
    public SimulationResult {
        covered = Collections.unmodifiableSet(new TreeSet<>(covered));
    }

    /**
     * Whether all invariants held and everything ended.
     *
     * @return true if so
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

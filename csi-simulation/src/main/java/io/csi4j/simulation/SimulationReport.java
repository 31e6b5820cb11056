package io.csi4j.simulation;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The result of one simulation.
 *
 * @param seed the seed; the same seed and settings give the same report
 * @param violations the violated invariants; a simulation ends with the first step that violates any. Empty: none
 * @param nodeVolumes whether the nodes ran the real node side
 * @param databaseFaults the faults that the log had, if it was one in a database; empty: it was another log
 * @param elapsed the virtual time that passed
 * @param steps the number of events
 * @param calls the number of calls that the engine made
 * @param commands the number of applied commands
 * @param covered the events of {@link LifecycleSimulation#coverage()} that occurred
 * @param diagram the last events, as a Mermaid sequence diagram
 */
public record SimulationReport(
        long seed,
        List<String> violations,
        boolean nodeVolumes,
        Optional<Set<String>> databaseFaults,
        Duration elapsed,
        long steps,
        long calls,
        int commands,
        Set<String> covered,
        String diagram) {
    public SimulationReport {
        violations = List.copyOf(violations);
        databaseFaults = databaseFaults.map(faults -> Collections.unmodifiableSet(new TreeSet<>(faults)));
        covered = Collections.unmodifiableSet(new TreeSet<>(covered));
    }

    /** Returns whether all invariants held and all releases ended. */
    public boolean ok() {
        return violations.isEmpty();
    }

    @Override
    public String toString() {
        return "seed " + seed + (nodeVolumes ? " with node volumes" : "")
                + databaseFaults
                        .map(faults ->
                                " on a database (" + (faults.isEmpty() ? "no faults" : String.join(", ", faults)) + ")")
                        .orElse("")
                + ": "
                + (ok() ? "ok" : String.join("; ", violations)) + " after " + elapsed + ", " + steps + " steps, "
                + calls
                + " calls, " + commands + " commands";
    }
}

package io.csi4j.replication.ratis.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.csi4j.simulation.LifecycleSimulation;
import io.csi4j.simulation.SimulationSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs csi-simulation with the code of this log in place of its model of a log. Takes more than 20 seconds: 200 seeds,
 * each with elections, lost entries and restarts.
 */
class LogSimulationTest {
    /** The number of seeds, and the first one; -Dcsi4j.log.seeds=10000 runs more, -Dcsi4j.log.seed=N starts at another one. */
    private static final long SEEDS = Long.getLong("csi4j.log.seeds", 200);

    private static final long FIRST = Long.getLong("csi4j.log.seed", 1);

    /** Its warnings are expected here. A strong reference, because the level of an unreferenced logger is lost. */
    private static final Logger ENGINE = Logger.getLogger("io.csi4j");

    /** The directory of the snapshots; in memory if possible, because each one is flushed to its disk. */
    private static Path root;

    @BeforeAll
    static void createDirectory() throws IOException {
        Path memory = Path.of("/dev/shm");
        root = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "csi4j-log")
                : Files.createTempDirectory("csi4j-log");
    }

    @AfterAll
    static void deleteDirectory() throws IOException {
        Files.delete(root);
    }

    @BeforeAll
    static void silenceEngineLog() {
        ENGINE.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreEngineLog() {
        ENGINE.setLevel(null);
    }

    @Test
    void invariantsHoldForEverySeedWhenCommandsPassThroughLog() {
        Map<String, Long> events = new ConcurrentHashMap<>();
        SimulationSummary summary = LifecycleSimulation.builder()
                .log(SimulatedLog.in(root, event -> events.merge(event, 1L, Long::sum)))
                .chaos(Duration.ofMinutes(5))
                .build()
                .runAll(FIRST, SEEDS);
        System.out.println("LogSimulationTest: " + SEEDS + " seeds from " + FIRST + ", " + summary.calls() + " calls, "
                + summary.commands() + " commands, " + events);
        summary.failure().ifPresent(report -> fail(report + "\n" + report.diagram()));
        // A run without calls, or without some of its events, would prove nothing.
        assertThat(summary.calls()).isGreaterThan(10 * SEEDS);
        if (SEEDS >= 100) {
            assertThat(events)
                    .containsKeys(
                            "a peer crashes",
                            "a peer is cut off",
                            "a peer hears nothing",
                            "a peer sends nothing",
                            "all peers lose power",
                            "leadership is transferred",
                            "an engine starts to lead",
                            "answer lost",
                            "entry repeated",
                            "snapshot",
                            "snapshot sent to a follower");
        }
    }

    @Test
    void sameSeedGivesSameReport() {
        LifecycleSimulation simulation = LifecycleSimulation.builder()
                .log(SimulatedLog.in(root, event -> {}))
                .build();
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(simulation.run(seed)).isEqualTo(simulation.run(seed));
        }
    }
}

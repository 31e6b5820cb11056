package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Takes minutes: rare faults of the engine are found by one seed in thousands. */
class LifecycleSimulationTest {
    /**
     * The number of seeds, and the first one; -Dcsi4j.seeds=1000000 runs more, -Dcsi4j.seed=N starts at another one.
     */
    private static final long SEEDS = Long.getLong("csi4j.seeds", 10_000);

    private static final long FIRST = Long.getLong("csi4j.seed", 1);

    /** Its warnings are expected here. A strong reference, because the level of an unreferenced logger is lost. */
    private static final Logger ENGINE = Logger.getLogger("io.csi4j");

    @BeforeAll
    static void silenceEngineLog() {
        ENGINE.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreEngineLog() {
        ENGINE.setLevel(null);
    }

    @Test
    void invariantsHoldAndReleasesFinishForEverySeed() {
        SimulationSummary summary = LifecycleSimulation.ofDefaults().runAll(FIRST, SEEDS);
        System.out.println("LifecycleSimulationTest: " + SEEDS + " seeds from " + FIRST + ", " + summary.calls()
                + " calls, " + summary.commands() + " commands");
        summary.failure().ifPresent(report -> fail(report + "\n" + report.diagram()));
        System.out.println("LifecycleSimulationTest: number of seeds with each event: " + summary.seedsByEvent());
        // A simulation without calls, or without some of its events, would prove nothing.
        assertThat(summary.calls()).isGreaterThan(10 * SEEDS);
        if (SEEDS >= 1_000) {
            assertThat(summary.seedsByEvent().keySet())
                    .containsExactlyInAnyOrderElementsOf(LifecycleSimulation.coverage());
        }
    }

    @Test
    void reportListsOnlyEventsThatOccurredInItsRun() {
        SimulationReport quiet =
                LifecycleSimulation.builder().faultRate(0).workloads(1).build().run(1);
        assertThat(quiet.covered())
                .contains("fate ANSWERED", "operation claim")
                .doesNotContain("fate HANGS", "fate REFUSED", "log answer lost");
        assertThat(LifecycleSimulation.coverage()).containsAll(quiet.covered());
    }

    @Test
    void sameSeedGivesSameReport() {
        LifecycleSimulation simulation = LifecycleSimulation.ofDefaults();
        for (long seed = 1; seed <= 20; seed++) {
            assertThat(simulation.run(seed)).isEqualTo(simulation.run(seed));
        }
    }

    @Test
    void optionsOutsideTheirRangeAreRejected() {
        LifecycleSimulation.Builder builder = LifecycleSimulation.builder();
        assertThatThrownBy(() -> builder.nodes(1)).hasMessageContaining("nodes").hasMessageContaining("2 or more");
        assertThatThrownBy(() -> builder.volumes(0)).hasMessageContaining("volumes");
        assertThatThrownBy(() -> builder.workloads(0)).hasMessageContaining("workloads");
        assertThatThrownBy(() -> builder.chaos(Duration.ZERO)).hasMessageContaining("chaos");
        assertThatThrownBy(() -> builder.faultRate(1.5)).hasMessageContaining("faultRate");
        assertThatThrownBy(() -> builder.faultRate(Double.NaN)).hasMessageContaining("faultRate");
        assertThatThrownBy(() -> builder.nodeVolumesShare(-0.1)).hasMessageContaining("nodeVolumesShare");
    }
}

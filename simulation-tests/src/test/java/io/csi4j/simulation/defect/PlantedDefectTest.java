package io.csi4j.simulation.defect;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.simulation.SimulationReport;
import io.csi4j.simulation.internal.SimulationRun;
import io.csi4j.simulation.internal.world.SimConfig;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation finds each planted defect, so its checks can fail. */
class PlantedDefectTest {
    private static final long MAX_SEEDS = 10_000;
    private static final int MAX_DISPLAYED = 300;

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

    @ParameterizedTest
    @EnumSource(NodeDefect.class)
    void plantedNodeDefectIsFoundBySimulation(NodeDefect defect) {
        SimConfig config = NodeDefectInjector.config(defect);
        Optional<SimulationReport> found = LongStream.rangeClosed(1, MAX_SEEDS)
                .mapToObj(seed -> SimulationRun.run(seed, config))
                .filter(report -> !report.ok())
                .findFirst();
        assertThat(found).as("a seed that shows %s", defect).isPresent();
        String displayed = found.get().toString();
        System.out.println(defect + ": " + displayed.substring(0, Math.min(MAX_DISPLAYED, displayed.length())));
    }

    @ParameterizedTest
    @EnumSource(PlantedDefect.class)
    void plantedEngineDefectIsFoundBySimulation(PlantedDefect defect) {
        SimConfig config = DefectInjector.config(defect);
        Optional<SimulationReport> found = LongStream.rangeClosed(1, MAX_SEEDS)
                .mapToObj(seed -> SimulationRun.run(seed, config))
                .filter(result -> !result.ok())
                .findFirst();
        assertThat(found).as("a seed that shows %s", defect).isPresent();
        String displayed = found.get().toString();
        System.out.println(defect + ": " + displayed.substring(0, Math.min(MAX_DISPLAYED, displayed.length())));
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_POSITION_IS_LOST, N6",
        "CHANGE_WAKES_NO_WORKER, I7: a scan found a step",
        "CHANGE_WAKES_NO_WORKER, I7: a step of",
        "GRACE_PERIOD_IS_CUT_SHORT, I21",
        "REJECTED_WRITE_COUNTS_AS_ACCEPTED, I2",
        "STATE_CHANGES_BESIDE_LOG, I9",
        "RESTORE_IS_NOT_NOTICED, I1",
        "RESTORE_IS_NOT_NOTICED, I3",
        "RESULT_IS_RECORDED_FOR_NEWER_CHANGE, R"
    })
    void plantedDefectViolatesExpectedRule(PlantedDefect defect, String rule) {
        SimConfig config = DefectInjector.config(defect);
        // Some seeds violate another rule: a claim that loses its position may also never be granted.
        assertThat(LongStream.rangeClosed(1, MAX_SEEDS)
                        .mapToObj(seed -> SimulationRun.run(seed, config).violations())
                        .flatMap(List::stream)
                        .anyMatch(violation -> violation.startsWith(rule)))
                .isTrue();
    }

    @Test
    void failureReportContainsSeedViolationAndDiagram() {
        SimConfig config = DefectInjector.config(PlantedDefect.UNPUBLISH_BEFORE_NODE_DETACH);
        SimulationReport result = LongStream.rangeClosed(1, MAX_SEEDS)
                .mapToObj(seed -> SimulationRun.run(seed, config))
                .filter(failed -> !failed.ok())
                .findFirst()
                .orElseThrow();
        assertThat(result.toString())
                .contains("seed " + result.seed())
                .contains(result.violations().get(0));
        assertThat(result.diagram())
                .startsWith("sequenceDiagram")
                .contains("VIOLATED")
                .contains("->>");
        assertThat(SimulationRun.run(result.seed(), config)).isEqualTo(result);
    }
}

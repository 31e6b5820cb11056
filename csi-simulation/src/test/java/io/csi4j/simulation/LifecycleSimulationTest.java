package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LifecycleSimulationTest {
    /**
     * The number of seeds, and the first one; -Dcsi4j.seeds=1000000 runs more, -Dcsi4j.seed=N starts at another one.
     */
    private static final long SEEDS = Long.getLong("csi4j.seeds", 10_000);

    private static final long FIRST = Long.getLong("csi4j.seed", 1);

    /** Its warnings are expected here. A strong reference, because the level of an unreferenced logger is lost. */
    private static final Logger ENGINE = Logger.getLogger("io.csi4j.core.lifecycle");

    @BeforeAll
    static void silenceEngineLog() {
        ENGINE.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreEngineLog() {
        ENGINE.setLevel(null);
    }

    @Test
    void invariantsHoldAndReleasesEndForEverySeed() {
        AtomicLong calls = new AtomicLong();
        AtomicLong commands = new AtomicLong();
        Map<String, Long> seedsByEvent = new ConcurrentSkipListMap<>();
        Optional<SimulationResult> failed = LongStream.range(FIRST, FIRST + SEEDS)
                .parallel()
                .mapToObj(seed -> LifecycleSimulation.run(seed, SimulationOptions.ofDefaults()))
                .peek(result -> {
                    calls.addAndGet(result.calls());
                    commands.addAndGet(result.commands());
                    result.covered().forEach(event -> seedsByEvent.merge(event, 1L, Long::sum));
                })
                .filter(result -> !result.ok())
                .findAny();
        System.out.println("LifecycleSimulationTest: " + SEEDS + " seeds from " + FIRST + ", " + calls + " calls, "
                + commands + " commands");
        failed.ifPresent(result -> fail(result + "\n" + result.diagram()));
        System.out.println("LifecycleSimulationTest: number of seeds with each event: " + seedsByEvent);
        // A simulation without calls, or without some of its events, would prove nothing.
        assertThat(calls.get()).isGreaterThan(10 * SEEDS);
        if (SEEDS >= 1_000) {
            assertThat(seedsByEvent.keySet()).containsExactlyInAnyOrderElementsOf(LifecycleSimulation.coverage());
        }
    }

    @Test
    void resultListsEventsOfItsRun() {
        SimulationResult quiet = LifecycleSimulation.run(
                1, SimulationOptions.builder().faultRate(0).workloads(1).build());
        assertThat(quiet.covered())
                .contains("fate ANSWERED", "operation claim")
                .doesNotContain("fate HANGS", "fate REFUSED", "log answer lost");
        assertThat(LifecycleSimulation.coverage()).containsAll(quiet.covered());
    }

    @ParameterizedTest
    @EnumSource(PlantedDefect.class)
    void plantedDefectIsFound(PlantedDefect defect) {
        SimulationOptions options = DefectInjector.options(defect);
        Optional<SimulationResult> found = LongStream.rangeClosed(1, 10_000)
                .mapToObj(seed -> LifecycleSimulation.run(seed, options))
                .filter(result -> !result.ok())
                .findFirst();
        assertThat(found).as("a seed that shows %s", defect).isPresent();
        System.out.println(defect + ": " + found.get());
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_POSITION_IS_LOST, N6",
        "REJECTED_WRITE_COUNTS_AS_ACCEPTED, I2",
        "RESULT_IS_RECORDED_FOR_NEWER_CHANGE, R"
    })
    void plantedDefectViolatesExpectedRule(PlantedDefect defect, String rule) {
        SimulationOptions options = DefectInjector.options(defect);
        // Some seeds violate another rule: a claim that loses its position may also never be granted.
        assertThat(LongStream.rangeClosed(1, 10_000)
                        .mapToObj(seed -> LifecycleSimulation.run(seed, options).violation())
                        .flatMap(Optional::stream)
                        .anyMatch(violation -> violation.startsWith(rule)))
                .isTrue();
    }

    @Test
    void sameSeedGivesSameResult() {
        for (long seed = 1; seed <= 20; seed++) {
            SimulationResult first = LifecycleSimulation.run(seed, SimulationOptions.ofDefaults());
            assertThat(LifecycleSimulation.run(seed, SimulationOptions.ofDefaults()))
                    .isEqualTo(first);
        }
    }

    @Test
    void failureReportsSeedViolationAndDiagram() {
        SimulationOptions options = DefectInjector.options(PlantedDefect.UNPUBLISH_BEFORE_NODE_DETACH);
        SimulationResult result = LongStream.rangeClosed(1, 10_000)
                .mapToObj(seed -> LifecycleSimulation.run(seed, options))
                .filter(failed -> !failed.ok())
                .findFirst()
                .orElseThrow();
        assertThat(result.toString())
                .contains("seed " + result.seed())
                .contains(result.violation().orElseThrow());
        assertThat(result.diagram())
                .startsWith("sequenceDiagram")
                .contains("VIOLATED")
                .contains("->>");
        assertThat(LifecycleSimulation.run(result.seed(), options)).isEqualTo(result);
    }

    @Test
    void optionsOutsideTheirRangeAreRejected() {
        SimulationOptions.Builder builder = SimulationOptions.builder();
        assertThatThrownBy(() -> builder.nodes(1)).hasMessageContaining("nodes").hasMessageContaining("2 or more");
        assertThatThrownBy(() -> builder.volumes(0)).hasMessageContaining("volumes");
        assertThatThrownBy(() -> builder.workloads(0)).hasMessageContaining("workloads");
        assertThatThrownBy(() -> builder.chaos(Duration.ZERO)).hasMessageContaining("chaos");
        assertThatThrownBy(() -> builder.faultRate(1.5)).hasMessageContaining("faultRate");
        assertThatThrownBy(() -> builder.faultRate(Double.NaN)).hasMessageContaining("faultRate");
    }
}

package io.csi4j.simulation.defect;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.simulation.SimulationReport;
import io.csi4j.simulation.internal.SimulationRun;
import io.csi4j.simulation.internal.world.SimConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
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

    /** Seeds that showed rare defects, which are tried first. A change of the simulation may make them useless. */
    private static final Map<Enum<?>, List<Long>> RARE = Map.of(
            NodeDefect.REPETITION_FOLLOWS_UNMOUNT, List.of(414L),
            PlantedDefect.CANCELLED_CLAIM_IS_NOT_RELEASED, List.of(68L),
            PlantedDefect.LEASE_COUNTS_FROM_ANSWER, List.of(81L),
            PlantedDefect.NODE_LIMIT_IS_LOST, List.of(270L),
            PlantedDefect.OVERRIDE_APPLIES_TO_ALL_CLAIMS, List.of(185L),
            PlantedDefect.RESTORE_IS_NOT_NOTICED, List.of(178L),
            PlantedDefect.RESULT_IS_RECORDED_FOR_NEWER_CHANGE, List.of(246L),
            PlantedDefect.RESULT_IS_RECORDED_FOR_NEWER_CLAIM, List.of(49L),
            PlantedDefect.UNRESOLVED_CALL_IS_FORGOTTEN, List.of(105L),
            PlantedDefect.WOKEN_LEADER_CALLS_AT_ONCE, List.of(38L));

    /** Its warnings are expected here. A strong reference, because the level of an unreferenced logger is lost. */
    private static final Logger ENGINE = Logger.getLogger("io.csi4j");

    /** The report of the first seed that shows a defect, for the tests that read it again. */
    private static final Map<Enum<?>, SimulationReport> FOUND = new HashMap<>();

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
        print(defect, first(defect, NodeDefectInjector.config(defect)));
    }

    @ParameterizedTest
    @EnumSource(PlantedDefect.class)
    void plantedEngineDefectIsFoundBySimulation(PlantedDefect defect) {
        print(defect, first(defect, DefectInjector.config(defect)));
    }

    private static void print(Enum<?> defect, SimulationReport found) {
        String displayed = found.toString();
        System.out.println(defect + ": " + displayed.substring(0, Math.min(MAX_DISPLAYED, displayed.length())));
    }

    /** Returns the report of the first seed that shows a defect. */
    private static SimulationReport first(Enum<?> defect, SimConfig config) {
        return FOUND.computeIfAbsent(
                defect,
                unused -> seeds(defect)
                        .mapToObj(seed -> SimulationRun.run(seed, config))
                        .filter(report -> !report.ok())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no seed shows " + defect)));
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_POSITION_IS_LOST, N6",
        "CHANGE_WAKES_NO_WORKER, I7: a scan found a step of",
        "CHANGE_WAKES_NO_WORKER, I7: a step of",
        "WAKE_UP_IS_LOST, I7: no end after",
        "UNMOUNT_IS_REPEATED, I7: more than",
        "GRACE_PERIOD_IS_CUT_SHORT, I21",
        "REJECTED_WRITE_COUNTS_AS_ACCEPTED, I2",
        "STATE_CHANGES_BESIDE_LOG, I9",
        "RESTORE_IS_NOT_NOTICED, I1",
        "RESTORE_IS_NOT_NOTICED, I3",
        "MISSING_VOLUME_COUNTS_AS_VERIFIED, I25",
        "ONE_ANSWER_LOSES_VOLUME, I25",
        "FORMER_TERM_IS_ACCEPTED, I23: a command of term",
        "UNKNOWN_COMMIT_IS_REPEATED, I23: a command is in",
        "LEADER_ACTS_AFTER_ITS_LEASE, I22: the engine",
        "LEASE_COUNTS_FROM_ANSWER, I22: the engine",
        "WOKEN_LEADER_CALLS_AT_ONCE, I22: server",
        "RESULT_IS_RECORDED_FOR_NEWER_CHANGE, R",
        "MADE_VOLUME_IS_REMOVED, I14: the provider has",
        "SET_IS_MADE_ONE_BY_ONE, I14: a set is made",
        "SET_IS_MADE_ONE_BY_ONE, I14: a set is published",
        "SET_IS_NOT_GIVEN_UP, I14: a set stays",
        "QUOTA_IS_NOT_CHECKED, I15",
        "AWAITED_VOLUME_IS_GIVEN_UP, I19: an awaited",
        "USED_VOLUME_COUNTS_AS_UNUSED, I19: a volume is deleted",
        "RETAINED_VOLUME_IS_DELETED, I19: a volume is deleted",
        "CLASS_IS_READ_FOR_EACH_CALL, I24",
        "INLINE_CLAIM_IS_NOT_FREED, I7: no end",
        "CHANGE_OF_OWNER_IS_LOST, I19: an owner",
        "CHANGE_OF_POLICY_IS_LOST, I19: a policy",
        "USE_WITHOUT_CLAIM_IS_IGNORED, I3",
        "USE_IS_UNMOUNTED_BY_ITS_NEW_NAME, I6",
        "OLD_CAPACITY_REFUSES_FOR_EVER, I7: old capacity",
        "SMALL_VOLUME_IS_USED, R55"
    })
    void plantedDefectViolatesExpectedRuleAlone(PlantedDefect defect, String rule) {
        assertThat(isFoundAlone(defect, DefectInjector.config(defect), rule)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "DISK_REFUSES_WRITES, N5",
        "MODE_OF_SECOND_MOUNT_IS_LOST, S23",
        "GROUP_IS_LATE, I16: a mount is handed out",
        "ROOT_KEEPS_ITS_SIGN, I16: the files of a volume look finished",
        "ROOT_IS_CHANGED_FIRST, I16: the files of a volume look finished",
        "SECOND_CHANGE_IS_SKIPPED, I16: a mount is handed out",
        "EACH_CHANGE_IS_ON_MISMATCH, I16: a mount is handed out",
        "WORKLOAD_INFO_IS_LOST_WITH_THE_ANSWER, R57",
        "GROUP_IS_SENT_TO_ANY_PLUGIN, R42",
        "TOKENS_OF_FIRST_CALL_ARE_KEPT, I16: a target is published with a former token",
        "TOKENS_ARE_IN_BOTH_FIELDS, I16: a target is published with tokens in the wrong",
        "TOKENS_ARE_LOST_IN_REPETITION, I16: a target is published with tokens in the wrong",
        "TOKENS_ARE_OF_ANOTHER_MOUNT, I16: a target is published with a token for another",
        "TOKEN_IS_SENT_LATE, I16: a target is published with a token that ran out",
        "REPETITION_HAS_OTHER_FIELDS, R29: a target is published again",
        "REPETITION_IS_SKIPPED, I16: a mounted volume is not published again in time",
        "DUE_TIME_IS_LOST_IN_RESTART, I16: a mounted volume is not published again in time",
        "REPETITION_FOLLOWS_UNMOUNT, I16: a target is published again after its unmount",
        "LABEL_IS_LOST_IN_PUBLISH, I16: a target is published with another label",
        "LABEL_IS_LOST_IN_SECOND_STAGE, I16: a volume is staged again with another label",
        "DROPPED_LABEL_IS_NOT_NOTICED, I16: the label of a mount",
        "SECOND_MOUNT_HAS_ANOTHER_LABEL, I16: a volume has two labels on a node",
        "INLINE_VOLUME_WITHOUT_MOUNT_COUNTS_AS_REMOVED, I7: no end"
    })
    void plantedNodeDefectViolatesExpectedRuleAlone(NodeDefect defect, String rule) {
        assertThat(isFoundAlone(defect, NodeDefectInjector.config(defect), rule))
                .isTrue();
    }

    /**
     * Whether a seed violates this rule and no other. Some seeds violate another rule: a claim that loses its position may
     * also never be granted.
     */
    private static boolean isFoundAlone(Enum<?> defect, SimConfig config, String rule) {
        SimulationReport first = first(defect, config);
        Stream<SimulationReport> others = seeds(defect)
                .filter(seed -> seed != first.seed())
                .mapToObj(seed -> SimulationRun.run(seed, config))
                .filter(report -> !report.ok());
        return Stream.concat(Stream.of(first), others)
                .filter(report -> report.violations().stream().allMatch(violation -> violation.startsWith(rule)))
                .peek(report -> System.out.println(defect + ": seed " + report.seed() + " violates only " + rule))
                .findFirst()
                .isPresent();
    }

    private static LongStream seeds(Enum<?> defect) {
        return LongStream.concat(
                RARE.getOrDefault(defect, List.of()).stream().mapToLong(Long::longValue),
                LongStream.rangeClosed(1, MAX_SEEDS));
    }

    @Test
    void failureReportContainsSeedViolationAndDiagram() {
        SimConfig config = DefectInjector.config(PlantedDefect.UNPUBLISH_BEFORE_NODE_DETACH);
        SimulationReport result = first(PlantedDefect.UNPUBLISH_BEFORE_NODE_DETACH, config);
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

package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Each fault of a log or a gateway fails the test of the contract that names it, and no other. */
class PlantedFaultsTest {
    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(PlantedLogs.Correct.class, List.of()),
                Arguments.of(PlantedLogs.NeverAnswered.class, List.of("everyCommandIsAnswered")),
                Arguments.of(PlantedLogs.Null.class, List.of("noAnswerIsNull")),
                Arguments.of(PlantedLogs.CompletedBeforeApplied.class, List.of("answeredCommandIsInTheState")),
                Arguments.of(PlantedLogs.AppliedTwice.class, List.of("commandIsAppliedOnce")),
                Arguments.of(
                        PlantedLogs.SecondAnswer.class,
                        List.of("everyCommandIsAnswered", "restartKeepsOrderOfCommands")),
                Arguments.of(
                        PlantedLogs.AnswersMixedUp.class, List.of("everyCommandIsAnswered", "commandIsAppliedOnce")),
                Arguments.of(
                        PlantedLogs.NullAlways.class,
                        List.of(
                                "everyCommandIsAnswered",
                                "noAnswerIsNull",
                                "commandIsAppliedOnce",
                                "answeredCommandSurvivesCrash",
                                "commandRefusedByClosedLogIsNeverApplied")),
                Arguments.of(PlantedLogs.VisibleBeforeDurable.class, List.of("visibleCommandSurvivesCrash")),
                Arguments.of(
                        PlantedLogs.NeverDurable.class,
                        List.of("answeredCommandSurvivesCrash", "visibleCommandSurvivesCrash")),
                Arguments.of(PlantedLogs.OrderLost.class, List.of("restartKeepsOrderOfCommands")),
                Arguments.of(PlantedLogs.AppliedLate.class, List.of("commandRefusedByClosedLogIsNeverApplied")),
                Arguments.of(PlantedGateways.Correct.class, List.of()),
                Arguments.of(PlantedGateways.NeverAnswered.class, List.of("requestWithoutAnswerFails")),
                Arguments.of(PlantedGateways.Null.class, List.of("noAnswerIsNull")),
                Arguments.of(
                        PlantedGateways.CompletedBeforeAnswered.class,
                        List.of("futureCompletesAfterTheNodeHasAnswered")),
                Arguments.of(PlantedGateways.SentTwice.class, List.of("requestReachesTheNodeOnce")),
                Arguments.of(PlantedGateways.AnswersMixedUp.class, List.of("answersBelongToTheirRequests")),
                Arguments.of(PlantedGateways.SentLate.class, List.of("requestThatWasNotSentIsNeverSent")));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultFailsOnlyTheTestsThatNameIt(Class<?> planted, List<String> names) {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(planted))
                .execute();
        assertThat(results.testEvents().started().count()).isGreaterThan(5);
        assertThat(results.testEvents().failed().stream()
                        .map(event -> event.getTestDescriptor().getDisplayName().replace("()", "")))
                .containsExactlyInAnyOrderElementsOf(names);
    }
}

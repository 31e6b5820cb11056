package io.csi4j.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The extension, run by an engine of its own on the classes of {@link Samples}. */
class CsiPluginExtensionTest {
    private static EngineExecutionResults run(Class<?> sample) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(sample))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
                .execute();
    }

    /** Returns the messages of all failures of tests and classes. */
    private static List<String> failures(Class<?> sample) {
        return failures(run(sample));
    }

    private static List<String> failures(EngineExecutionResults results) {
        return results.allEvents().executions().failed().stream()
                .map(execution -> execution
                        .getTerminationInfo()
                        .getExecutionResult()
                        .getThrowable()
                        .orElseThrow()
                        .getMessage())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Samples.Good.class,
                Samples.LosingReply.class,
                Samples.OnMethod.class,
                Samples.LeakingLeniently.class,
                Samples.UnexpectedLeniently.class,
                Samples.ConcurrentLeniently.class,
                Samples.ChangingLeniently.class,
                Samples.LoggingLeniently.class,
                Samples.PerClass.class,
                Samples.Registered.class
            })
    void correctAndLenientTestsPass(Class<?> sample) {
        EngineExecutionResults results = run(sample);
        assertThat(failures(results)).isEmpty();
        assertThat(results.testEvents().succeeded().count()).isPositive();
    }

    @Test
    void leakedVolumeOrAttachmentFailsTest() {
        assertThat(failures(Samples.Leaking.class))
                .hasSize(2)
                .anySatisfy(message -> assertThat(message)
                        .startsWith("the test left something behind: volume '")
                        .contains("DeleteVolume is missing", "lenient = LEAKS")
                        .contains("CreateVolume"))
                .anySatisfy(message -> assertThat(message)
                        .startsWith("the test left something behind: attachment 'vol-1' at node-1 is left;"
                                + " ControllerUnpublishVolume is missing"));
    }

    @Test
    void unexpectedlyRefusedCallFailsTest() {
        assertThat(failures(Samples.Unexpected.class))
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .startsWith("the plugin refused: 1 NodeUnstageVolume vol-1 on node-1: UNIMPLEMENTED (")
                        .contains("lenient = UNEXPECTED_CALLS"));
    }

    @Test
    void concurrentCallsFailTest() {
        assertThat(failures(Samples.Concurrent.class))
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .startsWith(
                                "calls for one volume were in flight together (R26): 1 ControllerPublishVolume vol-1 on"
                                        + " node-1: OK and 2 ControllerPublishVolume")
                        .contains("lenient = CONCURRENT_CALLS"));
    }

    @Test
    void changedRequestFailsTest() {
        assertThat(failures(Samples.Changing.class))
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .startsWith(
                                "requests with the same name were different: CreateVolume of 'data' was repeated with"
                                        + " other values of capacity_range")
                        .contains("lenient = CHANGED_REQUESTS"));
    }

    @Test
    void loggedSecretFailsTestWithoutShowingIt() {
        assertThat(failures(Samples.Logging.class))
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .startsWith("the value of a secret was logged by: io.csi4j.sample.scheduler")
                        .doesNotContain(Samples.SECRET));
    }

    @Test
    void secretInLoggedExceptionFailsTest() {
        assertThat(failures(Samples.SystemLogging.class))
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .startsWith("the value of a secret was logged by: org.example.scheduler")
                        .doesNotContain(Samples.SECRET));
    }

    @Test
    void failingTestKeepsItsOriginalFailureAndReportsItsCalls() {
        EngineExecutionResults results = run(Samples.Failing.class);
        assertThat(results.testEvents().executions().failed().stream()
                        .map(execution -> execution
                                .getTerminationInfo()
                                .getExecutionResult()
                                .getThrowable()
                                .orElseThrow()))
                .singleElement()
                .satisfies(failure ->
                        assertThat(failure).hasMessage("the test itself").hasNoSuppressedExceptions());
        assertThat(results.testEvents().reportingEntryPublished().count()).isEqualTo(1);
    }

    @Test
    void leakWithPerClassPluginFailsClassAfterLastTest() {
        EngineExecutionResults results = run(Samples.PerClassLeaking.class);
        assertThat(results.testEvents().failed().count()).isZero();
        assertThat(results.containerEvents().failed().count()).isEqualTo(1);
    }

    @Test
    void parallelTestsAreCheckedIndependently() {
        EngineExecutionResults results = run(Samples.Parallel.class);
        assertThat(results.testEvents().succeeded().count()).isEqualTo(8);
        assertThat(results.testEvents().failed().count()).isEqualTo(8);
    }
}

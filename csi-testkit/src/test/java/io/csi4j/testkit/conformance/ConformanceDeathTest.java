package io.csi4j.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.FakeCsiPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A plugin that dies in a check is one finding, whether it serves again or not. */
class ConformanceDeathTest {
    @TempDir
    Path directory;

    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder().build();
    private String endpoint = "";

    @BeforeEach
    void startPluginThatDiesInItsFirstList() {
        endpoint = "unix://" + directory.resolve("p.sock");
        plugin.startOn(endpoint);
        plugin.onCall(Rpc.LIST_VOLUMES).once().crashBeforeEffect();
    }

    @AfterEach
    void stopPlugin() {
        plugin.close();
    }

    private CsiConformanceBuilder kit(Duration timeout) {
        return CsiConformance.builder(endpoint)
                .workDir(directory)
                .timeout(timeout)
                .only(List.of("list.created-and-deleted", "list.values", "list.pages"))
                .skip(List.of("list.pages-under-change"));
    }

    private void startAgainAfterCrash() {
        plugin.awaitStop(Duration.ofSeconds(10));
        plugin.startOn(endpoint);
    }

    private static List<String> findings(ConformanceReport report) {
        return report.results().stream()
                .flatMap(result -> result.findings().stream())
                .filter(Finding::failure)
                .map(Finding::text)
                .toList();
    }

    @Test
    void deathOfPluginIsOneFindingAndEndsRun() {
        ConformanceReport report = kit(Duration.ofSeconds(2)).build().run();
        assertThat(findings(report))
                .containsExactly("the plugin died in this check, during ListVolumes, and the rest was not run");
        assertThat(report.results()).singleElement().satisfies(result -> {
            assertThat(result.findings().get(0).basis()).isEqualTo("MUST R12");
            assertThat(result.explanation()).contains("left behind: volume ");
        });
        assertThat(report.notRun()).isEqualTo(2);
        assertThat(report.completed()).isTrue();
        assertThat(report.passed()).isFalse();
    }

    @Test
    void runContinuesWhenSupervisorStartsPluginAgain() {
        CompletableFuture<Void> supervisor = CompletableFuture.runAsync(this::startAgainAfterCrash);
        ConformanceReport report = kit(Duration.ofSeconds(10)).build().run();
        supervisor.join();
        assertThat(findings(report))
                .containsExactly("the plugin died in this check, during ListVolumes, and serves again");
        assertThat(report.notRun()).isZero();
        assertThat(report.count(CheckOutcome.PASSED)).isEqualTo(2);
        assertThat(plugin.storage().volumeIds()).isEmpty();
    }

    @Test
    void runContinuesAfterRestartCommand() {
        ConformanceReport report = kit(Duration.ofSeconds(2))
                .restart(this::startAgainAfterCrash)
                .build()
                .run();
        assertThat(findings(report))
                .containsExactly("the plugin died in this check, during ListVolumes, and the kit has restarted it");
        assertThat(report.count(CheckOutcome.PASSED)).isEqualTo(2);
        assertThat(plugin.storage().volumeIds()).isEmpty();
    }

    @Test
    void failedRestartCommandIsFindingBesideDeath() {
        ConformanceReport report = kit(Duration.ofSeconds(2))
                .restart(() -> {
                    throw new IllegalStateException("output ".repeat(100) + "no such unit");
                })
                .build()
                .run();
        assertThat(findings(report))
                .hasSize(2)
                .contains("the plugin died in this check, during ListVolumes, and the rest was not run")
                .anySatisfy(text ->
                        assertThat(text).startsWith("this machine failed: ").endsWith("output no such unit"));
    }

    @Test
    void deathInCleanUpIsOneFindingAndEndsRun() {
        plugin.close();
        try (FakeCsiPlugin dying = FakeCsiPlugin.builder().build()) {
            dying.startOn(endpoint);
            dying.onCall(Rpc.DELETE_VOLUME).once().crashBeforeEffect();
            ConformanceReport report = CsiConformance.builder(endpoint)
                    .workDir(directory)
                    .timeout(Duration.ofSeconds(2))
                    .only(List.of("create.size", "create.limit"))
                    .build()
                    .run();
            assertThat(findings(report))
                    .containsExactly("the plugin died in this check, during DeleteVolume, and the rest was not run");
            assertThat(report.results())
                    .singleElement()
                    .satisfies(result -> assertThat(result.explanation()).contains("left behind: volume "));
        }
    }

    @Test
    void testsOfJUnitAfterDeathAreAbortedAndDoNotFail() {
        try (Stream<Executable> tests = kit(Duration.ofSeconds(2))
                .build()
                .tests()
                .flatMap(container -> ((DynamicContainer) container)
                        .getChildren()
                        .map(test -> ((DynamicTest) test).getExecutable()))) {
            List<String> failures = tests.map(test -> {
                        try {
                            test.execute();
                            return "passed";
                        } catch (Throwable e) {
                            return e.getClass().getSimpleName() + " " + e.getMessage();
                        }
                    })
                    .toList();
            assertThat(failures).hasSize(3);
            assertThat(failures.get(0)).startsWith("AssertionFailedError").contains("the plugin died in this check");
            assertThat(failures.subList(1, 3))
                    .allSatisfy(text -> assertThat(text)
                            .startsWith("TestAbortedException")
                            .contains("not run, because the plugin died in list.created-and-deleted"));
        }
    }

    @Test
    void pluginThatHangsInAllCallsEndsRun() {
        plugin.close();
        try (FakeCsiPlugin hanging = FakeCsiPlugin.builder().build()) {
            hanging.startOn(endpoint);
            hanging.onCall(Rpc.LIST_VOLUMES).hang();
            hanging.onCall(Rpc.PROBE).hang();
            ConformanceReport report = kit(Duration.ofSeconds(2)).build().run();
            assertThat(findings(report))
                    .containsExactly(
                            "the plugin stopped to answer in this check, during ListVolumes, and the rest was not run");
        }
    }

    @Test
    void hangingCallOfLivingPluginFailsItsCheckOnly() {
        plugin.close();
        try (FakeCsiPlugin hanging = FakeCsiPlugin.builder().build()) {
            hanging.startOn(endpoint);
            hanging.onCall(Rpc.LIST_VOLUMES).once().hang();
            ConformanceReport report = kit(Duration.ofSeconds(2)).build().run();
            assertThat(findings(report)).containsExactly("ListVolumes gave no answer (DEADLINE_EXCEEDED)");
            assertThat(report.count(CheckOutcome.PASSED)).isEqualTo(2);
        }
    }
}

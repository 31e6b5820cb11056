package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.Program;
import io.csi4j.examples.steps.Interruption;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakePluginProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that end early: after Ctrl-C, or after a kill of the plugin. */
@Timeout(120)
class LifecycleBreakTest {
    @TempDir
    Path directory;

    private LifecycleTestBed testBed;

    @BeforeEach
    void prepare() throws IOException {
        testBed = new LifecycleTestBed(directory);
    }

    @AfterEach
    void close() {
        if (testBed != null) {
            testBed.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GetCapacity",
                "CreateVolume",
                "ControllerPublishVolume",
                "NodeStageVolume",
                "NodePublishVolume",
                "write and read back",
                "NodeExpandVolume",
                "CreateSnapshot",
                "check the restored data",
                "DeleteSnapshot",
                "check the clone data",
                "CreateVolumeGroupSnapshot",
                "NodeUnpublishVolume",
                "try to write",
                "NodeUnstageVolume",
                "ControllerUnpublishVolume",
                "DeleteVolume"
            })
    void interruptionAfterAnyStepUndoesAllSteps(String step) throws Exception {
        testBed.plugin(FakeCsiPlugin.builder());
        AtomicReference<StepRunner> steps = new AtomicReference<>();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        testBed.watch(steps::set).onLine(line -> {
            if (line.contains("  " + step + "  ") && !stopped.isDone()) {
                interrupt(steps.get(), stopped);
            }
        });

        Thread program = new Thread(() -> testBed.run("--size=1Mi"), "program");
        program.setDaemon(true); // the interruption keeps the lock, as in a JVM that ends
        program.start();

        stopped.get(60, TimeUnit.SECONDS);
        testBed.assertNothingLeft();
    }

    /** Interrupts on another thread while the program runs, like a shutdown hook. */
    private static void interrupt(StepRunner steps, CompletableFuture<Void> stopped) {
        Thread hook = new Thread(() -> {
            Interruption.stop(steps);
            stopped.complete(null);
        });
        hook.setDaemon(true);
        hook.start();
    }

    @Test
    void signalEndsProgramWithItsExitCode() throws Exception {
        testBed.plugin(FakeCsiPlugin.builder());
        CompletableFuture<Program> program = new CompletableFuture<>();
        try (Program started = new Program(
                Lifecycle.class,
                directory,
                line -> {
                    if (line.contains("  NodeGetVolumeStats  ")) {
                        program.join().signal("TERM");
                    }
                },
                "--endpoint=" + testBed.endpoint(),
                "--size=1Mi")) {
            program.complete(started);

            assertThat(started.exitCode()).as(started.out() + started.err()).isEqualTo(143);
            assertThat(started.out())
                    .containsSubsequence(
                            "Interrupted", "NodeUnpublishVolume", "ControllerUnpublishVolume", "DeleteVolume");
            assertThat(directory.resolve("work")).isEmptyDirectory();
            testBed.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CreateVolume", "NodeGetVolumeStats", "CreateSnapshot"})
    void killedPluginIsReportedAndLeavesNoMount(String step) throws IOException {
        String endpoint = "unix://" + directory.resolve("csi.sock");
        try (FakePluginProcess plugin =
                FakePluginProcess.builder(endpoint).stateDir(testBed.state()).start()) {
            testBed.endpoint(endpoint).onLine(line -> {
                if (line.contains("  " + step + "  ")) {
                    plugin.killForcibly();
                }
            });

            LifecycleRun run = testBed.run("--size=1Mi", "--volume-name=mine");

            assertThat(run.code()).as(run.out()).isEqualTo(1);
            assertThat(run.err()).contains("the run cannot continue without").contains(endpoint);
            assertThat(run.out()).contains("UNAVAILABLE").contains("Left behind: ");
            testBed.assertNothingLeftHere();

            // The same command finds the leftovers and removes them, as the program printed.
            assertThat(run.out()).contains("repeat the same command with --volume-name mine");
            plugin.restart();
            testBed.onLine(line -> {});
            LifecycleRun secondRun = testBed.run("--size=1Mi", "--volume-name=mine");
            assertThat(secondRun.failed()).as(secondRun.out()).isEmpty();
            assertThat(secondRun.code()).isZero();
            testBed.assertNothingLeftHere();
            assertThat(testBed.state().resolve("data/volumes")).isEmptyDirectory();
            assertThat(testBed.state().resolve("data/snapshots")).isEmptyDirectory();
        }
    }
}

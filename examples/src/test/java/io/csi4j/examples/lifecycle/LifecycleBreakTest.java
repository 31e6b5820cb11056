package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.Program;
import io.csi4j.examples.walk.Interruption;
import io.csi4j.examples.walk.Walk;
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

/** The walk breaks off in the middle: by Ctrl-C, or because the plugin is killed. */
@Timeout(120)
class LifecycleBreakTest {
    @TempDir
    Path directory;

    private LifecycleGround ground;

    @BeforeEach
    void prepare() throws IOException {
        ground = new LifecycleGround(directory);
    }

    @AfterEach
    void close() {
        if (ground != null) {
            ground.close();
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
    void anInterruptionAfterAnyStepTakesEverythingBack(String step) throws Exception {
        ground.plugin(FakeCsiPlugin.builder());
        AtomicReference<Walk> walk = new AtomicReference<>();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        ground.watch(walk::set).onLine(line -> {
            if (line.contains("  " + step + "  ") && !stopped.isDone()) {
                interrupt(walk.get(), stopped);
            }
        });

        Thread program = new Thread(() -> ground.run("--size=1Mi"), "program");
        program.setDaemon(true); // it never gets its turn again, as in a JVM that is ending
        program.start();

        stopped.get(60, TimeUnit.SECONDS);
        ground.assertNothingLeft();
    }

    /** As a shutdown hook does: on a thread of its own, while the walk goes on. */
    private static void interrupt(Walk walk, CompletableFuture<Void> stopped) {
        Thread hook = new Thread(() -> {
            Interruption.stop(walk);
            stopped.complete(null);
        });
        hook.setDaemon(true);
        hook.start();
    }

    @Test
    void aSignalEndsTheProgramWithItsCode() throws Exception {
        ground.plugin(FakeCsiPlugin.builder());
        CompletableFuture<Program> program = new CompletableFuture<>();
        try (Program started = new Program(
                Lifecycle.class,
                directory,
                line -> {
                    if (line.contains("  NodeGetVolumeStats  ")) {
                        program.join().signal("TERM");
                    }
                },
                "--endpoint=" + ground.endpoint(),
                "--size=1Mi")) {
            program.complete(started);

            assertThat(started.exitCode()).as(started.out() + started.err()).isEqualTo(143);
            assertThat(started.out())
                    .containsSubsequence(
                            "Interrupted", "NodeUnpublishVolume", "ControllerUnpublishVolume", "DeleteVolume");
            assertThat(directory.resolve("work")).isEmptyDirectory();
            ground.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CreateVolume", "NodeGetVolumeStats", "CreateSnapshot"})
    void aPluginThatIsKilledLeavesNoMountAndIsNamed(String step) throws IOException {
        String endpoint = "unix://" + directory.resolve("csi.sock");
        try (FakePluginProcess plugin =
                FakePluginProcess.builder(endpoint).stateDir(ground.state()).start()) {
            ground.endpoint(endpoint).onLine(line -> {
                if (line.contains("  " + step + "  ")) {
                    plugin.killForcibly();
                }
            });

            LifecycleRun run = ground.run("--size=1Mi", "--volume-name=mine");

            assertThat(run.code()).as(run.out()).isEqualTo(1);
            assertThat(run.err()).contains("the walk cannot go on without").contains(endpoint);
            assertThat(run.out()).contains("UNAVAILABLE").contains("Left behind: ");
            ground.assertNothingLeftHere();

            // What the program said is true: the same command finds what is left, and takes it back.
            assertThat(run.out()).contains("repeat the same command with --volume-name mine");
            plugin.restart();
            ground.onLine(line -> {});
            LifecycleRun again = ground.run("--size=1Mi", "--volume-name=mine");
            assertThat(again.failed()).as(again.out()).isEmpty();
            assertThat(again.code()).isZero();
            ground.assertNothingLeftHere();
            assertThat(ground.state().resolve("data/volumes")).isEmptyDirectory();
            assertThat(ground.state().resolve("data/snapshots")).isEmptyDirectory();
        }
    }
}

package io.csi4j.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.Program;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class QuickstartTest {
    private static final Pattern PLUGIN = Pattern.compile(" {2}process (\\d+) at ");

    @TempDir
    Path directory;

    /** The id of the plugin's process, from the program's output. */
    private final AtomicLong plugin = new AtomicLong();

    @BeforeEach
    void needsMounts() {
        assumeTrue("root".equals(System.getProperty("user.name")), "real mounts need root");
    }

    private Program start(Consumer<String> onLine, String... args) throws IOException {
        return new Program(
                Quickstart.class,
                directory,
                line -> {
                    Matcher matcher = PLUGIN.matcher(line);
                    if (matcher.find()) {
                        plugin.set(Long.parseLong(matcher.group(1)));
                    }
                    onLine.accept(line);
                },
                args);
    }

    private void assertNothingLeft() throws IOException {
        assertThat(ProcessMounts.read().under(directory)).isEmpty();
        assertThat(directory).isEmptyDirectory();
        if (plugin.get() != 0) {
            assertThat(ProcessHandle.of(plugin.get()).filter(ProcessHandle::isAlive))
                    .isEmpty();
        }
    }

    @Test
    void programCreatesAndDeletesVolume() throws Exception {
        try (Program program = start(line -> {})) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.err()).isEmpty();
            assertThat(program.out())
                    .containsSubsequence(
                            "Probe",
                            "GetPluginInfo",
                            "GetPluginCapabilities",
                            "ControllerGetCapabilities",
                            "NodeGetCapabilities",
                            "NodeGetInfo",
                            "CreateVolume",
                            "ControllerPublishVolume",
                            "NodeStageVolume",
                            "NodePublishVolume",
                            "'written through the target path'",
                            "/provider/",
                            "NodeUnpublishVolume",
                            "NodeUnstageVolume",
                            "ControllerUnpublishVolume",
                            "DeleteVolume",
                            "Proved: ")
                    .doesNotContain("failed");
            assertThat(plugin.get()).isNotZero();
            assertNothingLeft();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "make a directory,INT,130",
        "start a plugin process,TERM,143",
        "CreateVolume,INT,130",
        "NodeStageVolume,INT,130",
        "NodePublishVolume,TERM,143",
        "NodeUnpublishVolume,TERM,143",
    })
    void signalAfterAnyStepUndoesAllSteps(String step, String signal, int code) throws Exception {
        CompletableFuture<Program> program = new CompletableFuture<>();
        try (Program started = start(line -> {
            if (line.contains("  " + step + "  ")) {
                program.join().signal(signal);
            }
        })) {
            program.complete(started);
            assertThat(started.exitCode()).as(started.out() + started.err()).isEqualTo(code);
            assertThat(started.out()).contains("Interrupted: undoing all steps");
            assertThat(started.out()).doesNotContain("Proved").doesNotContain("Left behind");
            assertNothingLeft();
        }
    }

    @Test
    void killedPluginIsReportedAndItsMountsAreRemoved() throws Exception {
        try (Program program = start(line -> {
            if (line.contains("  NodeStageVolume  ")) {
                ProcessHandle.of(plugin.get()).ifPresent(ProcessHandle::destroyForcibly);
            }
        })) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isEqualTo(1);
            assertThat(program.out()).contains("failed").contains("UNAVAILABLE").doesNotContain("Proved");
            assertNothingLeft();
        }
    }

    @Test
    void argumentIsRejected() throws Exception {
        try (Program program = start(line -> {}, "--block")) {
            assertThat(program.exitCode()).isEqualTo(2);
            assertThat(program.err().strip()).contains("takes no arguments").doesNotContain("\n");
            assertNothingLeft();
        }
    }
}

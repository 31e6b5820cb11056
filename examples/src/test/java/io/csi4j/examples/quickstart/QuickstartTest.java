package io.csi4j.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.Program;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Takes more than 20 seconds: each case runs the whole program, which starts three JVMs, up to its interrupted step. */
@Timeout(120)
class QuickstartTest {
    private static final Pattern PROCESS = Pattern.compile(" {2}process (\\d+)( at |, data in )");

    @TempDir
    Path directory;

    /** The ids of the started processes, from the program's output: server, plugin, server. */
    private final List<Long> processes = new CopyOnWriteArrayList<>();

    @BeforeEach
    void needsMounts() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    }

    private Program start(Consumer<String> onLine, String... args) throws IOException {
        return new Program(
                Quickstart.class,
                directory,
                line -> {
                    Matcher matcher = PROCESS.matcher(line);
                    if (matcher.find()) {
                        processes.add(Long.parseLong(matcher.group(1)));
                    }
                    onLine.accept(line);
                },
                args);
    }

    private void assertNothingLeft() throws IOException {
        assertThat(ProcessMounts.read().under(directory)).isEmpty();
        assertThat(directory).isEmptyDirectory();
        for (long process : processes) {
            assertThat(ProcessHandle.of(process).filter(ProcessHandle::isAlive)).isEmpty();
        }
    }

    @Test
    void restartedServerStillKnowsClaimAndFreesVolume() throws Exception {
        try (Program program = start(line -> {})) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.err()).isEmpty();
            assertThat(program.out())
                    .containsSubsequence(
                            "healthy on 1 node",
                            "default/db is vol-",
                            "/publish/default/db/web-1",
                            "/provider/",
                            "SIGKILL; exit code 137",
                            "claim of web-1 on node local is TAKEN",
                            "'written before the server was killed, and after'",
                            "freed",
                            "is no mount any more",
                            "default/db is gone",
                            "Proved: ")
                    .doesNotContain("failed");
            assertThat(processes).hasSize(3);
            assertNothingLeft();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "make a directory,INT,130",
        "start a durable server,TERM,143",
        "start a plugin process,INT,130",
        "claim it and mount it,TERM,143",
        "kill the server,INT,130",
        "end the allocation,TERM,143",
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
            if (line.contains("  claim it and mount it  ")) {
                ProcessHandle.of(processes.get(1)).ifPresent(ProcessHandle::destroyForcibly);
            }
        })) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isEqualTo(1);
            assertThat(program.out())
                    .contains("failed")
                    .contains("the plugin ended")
                    .doesNotContain("Proved");
            assertNothingLeft();
        }
    }

    @Test
    void anyCommandLineArgumentIsRejected() throws Exception {
        try (Program program = start(line -> {}, "--block")) {
            assertThat(program.exitCode()).isEqualTo(2);
            assertThat(program.err().strip()).contains("takes no arguments").doesNotContain("\n");
            assertNothingLeft();
        }
    }
}

package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes more than 20 seconds: each case starts a cluster of five JVMs, kills and restarts some, and stops it. */
@Timeout(240)
class SchedulerChaosTest {
    @TempDir(factory = ShortDirectory.class)
    Path directory;

    @BeforeEach
    void needsMounts() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    }

    @Test
    void chaosRoundsEndWithCleanVerdict() throws Exception {
        assertThat(chaos(11, 5102))
                .contains(
                        "servers killed: 1",
                        "agents killed: 1",
                        "plugins killed: 1",
                        "nodes fenced: 1",
                        "clocks changed: 1");
    }

    @Test
    void chaosWithReplacedMachineAndRestoredServerEndsWithCleanVerdict() throws Exception {
        assertThat(chaos(12, 899709))
                .contains("machines replaced: 1", "restores: 1", "servers killed: 1", "agents killed: 1");
    }

    @Test
    void chaosWithKilledAndRestoredDatabaseEndsWithCleanVerdict() throws Exception {
        // The user of PostgreSQL has to enter it.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(chaos(12, 2126, "--log=postgres", "--servers=3"))
                .contains("database killed: 1", "restores: 1", "servers killed: 1");
    }

    private String chaos(int rounds, int seed, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("chaos", "--nodes=2", "--rounds=" + rounds, "--seed=" + seed));
        options.addAll(List.of(more));
        try (Program program = new Program(Scheduler.class, directory, line -> {}, options.toArray(String[]::new))) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.out()).contains("Verdict: clean.");
            assertThat(directory).isEmptyDirectory();
            return program.out();
        }
    }
}

package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.Program;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes more than 20 seconds: each case starts a cluster of up to eight JVMs, and stops it. */
@Timeout(240)
class SchedulerTest {
    @TempDir(factory = ShortDirectory.class)
    Path directory;

    @BeforeEach
    void needsMounts() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    }

    @Test
    void interruptedSchedulerLeavesNoProcessesFilesOrMounts() throws Exception {
        CompletableFuture<Void> running = new CompletableFuture<>();
        CompletableFuture<String> warned = new CompletableFuture<>();
        CompletableFuture<Void> mended = new CompletableFuture<>();
        try (Program program = new Program(
                Scheduler.class,
                directory,
                line -> {
                    if (line.matches("web-1-.* is RUNNING .*")) {
                        running.complete(null);
                    } else if (line.contains("Wrong line")) {
                        warned.complete(line);
                    } else if (line.contains("All lines of the job file count again")) {
                        mended.complete(null);
                    }
                },
                "--servers=3",
                "--nodes=1",
                "--jobs=jobs.txt")) {
            running.get(120, TimeUnit.SECONDS);
            List<ProcessHandle> processes =
                    ProcessHandle.current().descendants().toList();
            assertThat(processes).hasSizeGreaterThanOrEqualTo(6);
            Path jobs = directory.resolve("csi4j-scheduler/jobs.txt");
            String right = Files.readString(jobs);
            Files.writeString(jobs, right + "job ghost volumes=nosuch\n");
            assertThat(warned.get(60, TimeUnit.SECONDS))
                    .startsWith("Wrong line, the others count: " + jobs + ", line ")
                    .contains("'job ghost volumes=nosuch': there is no line 'volume nosuch' above it; add that line");
            Files.writeString(jobs, right);
            mended.get(60, TimeUnit.SECONDS);
            program.signal("INT");
            assertThat(program.exitCode()).as(program.out() + program.err()).isEqualTo(130);
            assertThat(program.out()).contains("Stopped.", "Their password, with any name: the first token, in ");
            assertThat(program.out().lines().filter(line -> line.contains("nosuch")))
                    .as("once for each change of the file")
                    .hasSize(1);
            assertThat(program.err()).doesNotContain("left behind", "without all volumes");
            assertThat(processes).noneMatch(ProcessHandle::isAlive);
        }
        assertThat(directory).isEmptyDirectory();
        assertThat(ProcessMounts.read().under(directory)).isEmpty();
    }

    /** Ten rounds without any fault; SchedulerChaosTest has faults of most kinds. */
    @Test
    void chaosThatIsNotCleanKeepsItsLogsAndLeavesOutUnwantedFaults() throws Exception {
        CompletableFuture<Path> run = new CompletableFuture<>();
        try (Program program = new Program(
                Scheduler.class,
                directory,
                line -> {
                    int at = line.indexOf(", directory ");
                    if (at >= 0 && run.complete(Path.of(line.substring(at + ", directory ".length())))) {
                        plantViolation(run.join());
                    }
                },
                "chaos",
                "--nodes=2",
                "--rounds=10",
                "--seed=1107",
                "--without=server,agent,plugin,drain,lose,fence,replace,upgrade,expand,snapshot,clock,remove,restore")) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isEqualTo(1);
            assertThat(program.out())
                    .contains(
                            "jobs started: ",
                            "LEAK: planted",
                            "Verdict: NOT CLEAN, 1 leak(s).",
                            "the logs of all processes are in " + run.join().resolve("logs"))
                    .doesNotContain(
                            "killed: ",
                            "drains: ",
                            "lost: ",
                            "fenced: ",
                            "restores: ",
                            "clocks changed: ",
                            "volume expand: ",
                            "snapshot create: ");
        }
        assertThat(run.join().resolve("logs/server-1.log")).exists();
        assertThat(ProcessMounts.read().under(directory)).isEmpty();
    }

    private static void plantViolation(Path run) {
        try {
            Files.writeString(Files.createDirectories(run).resolve("violations.log"), "planted\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void wrongArgumentIsRejected() throws Exception {
        try (Program program = new Program(Scheduler.class, directory, line -> {}, "--servers=2")) {
            assertThat(program.exitCode()).isEqualTo(2);
            assertThat(program.err()).contains("--servers is 2; give 1 or 3");
        }
        assertThat(directory).isEmptyDirectory();
    }
}

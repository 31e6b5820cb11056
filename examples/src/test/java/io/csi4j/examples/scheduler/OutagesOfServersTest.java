package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.examples.shell.SchedulerShell;
import io.csi4j.shell.Csi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes more than 20 seconds: each test starts a cluster of processes, and servers vote again. */
@Timeout(180)
class OutagesOfServersTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir(factory = ShortDirectory.class)
    private Path root;

    private Path directory;

    /** The result of a command of the shell. */
    private record Result(int code, String out, String err) {
        JsonObject json() {
            return JsonParser.parseString(out).getAsJsonObject();
        }
    }

    @BeforeEach
    void needsMounts() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        // Beside the other one, because the user of PostgreSQL may not enter a directory of this user.
        directory = Path.of(root + "-c");
    }

    private ClusterRun start(int servers, LogPlace log, String... lines) throws IOException {
        Path jobs = Files.write(root.resolve("jobs"), List.of(lines));
        ClusterRun run = new ClusterRun(directory, servers, 1, log, jobs, new DriverCommand(""), false);
        run.start();
        return run;
    }

    private Result csi(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        PrintWriter errors = new PrintWriter(err, true);
        int code = SchedulerShell.run(
                Csi.builder().output(new PrintWriter(out), errors),
                errors,
                Stream.concat(Stream.of("--dir", directory.toString()), Stream.of(arguments))
                        .toArray(String[]::new));
        return new Result(code, out.toString(), err.toString());
    }

    private Result done(String... arguments) {
        Result result = csi(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        return result;
    }

    private JsonArray peers() {
        return JsonParser.parseString(done("server", "peers", "--json").out()).getAsJsonArray();
    }

    private String follower() {
        return StreamSupport.stream(peers().spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .filter(peer -> !peer.get("leads").getAsBoolean())
                .map(peer -> peer.get("peer").getAsString())
                .filter(peer -> !peer.contains("-m"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void deadServersAreReplacedByEmptyOnesOneAfterTheOther() throws IOException {
        try (ClusterRun run = start(3, LogPlace.FILES)) {
            for (int i = 0; i < 2; i++) {
                String dead = follower();
                assertThat(csi("server", "start", dead, "--empty")).satisfies(refused -> {
                    assertThat(refused.code()).isEqualTo(2);
                    assertThat(refused.err()).contains(dead + " is not stopped; stop it first");
                });
                assertThat(done("server", "stop", dead, "--json")
                                .json()
                                .get("runs")
                                .getAsBoolean())
                        .isFalse();
                JsonObject empty =
                        done("server", "start", dead, "--empty", "--json").json();
                String peer = empty.get("peer").getAsString();
                assertThat(peer).isEqualTo(dead + "-m1");
                // A founder would ask for votes, and the others would refuse it for ever.
                assertThat(Files.readString(run.layout().log(dead))).contains("as peer " + peer + " of [] ");
                replace(dead, peer, empty.get("address").getAsString());
                run.await("the new peer has the state", LIMIT, () -> applied(peer));
            }
            assertThat(peers()).hasSize(3);
            assertThat(run.machines().pids()).hasSize(5);
        }
    }

    /** Replaces a peer, and repeats that, as its error says, if the new peer was too slow to follow on a busy machine. */
    private void replace(String dead, String peer, String address) {
        String[] command = {"server", "replace", dead, peer, "--address", address, "--yes"};
        for (int attempt = 1; attempt < 3; attempt++) {
            Result result = csi(command);
            if (result.code() == 0) {
                return;
            }
            assertThat(result.err()).contains("NOPROGRESS", "then repeat it");
        }
        done(command);
    }

    /** Returns whether a peer has applied what the leader had. */
    private boolean applied(String peer) {
        JsonObject log = done("server", "log", "--json").json();
        return StreamSupport.stream(log.getAsJsonArray("peers").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .anyMatch(row -> row.get("server").getAsString().equals(peer)
                        && row.get("appliedIndex").getAsLong() > 0);
    }

    @Test
    void stoppedServerStaysOffUntilItIsStarted() throws IOException {
        try (ClusterRun run = start(3, LogPlace.FILES)) {
            String stopped = follower();
            done("server", "stop", stopped);
            int number = Integer.parseInt(stopped.substring("server-".length()));
            run.machines().killServer(number % 3 + 1);
            run.await(
                    "the restart of the killed one",
                    LIMIT,
                    () -> run.machines().pids().size() == 4);
            done("server", "start", stopped);
            assertThat(run.machines().pids()).hasSize(5);
            assertThat(csi("server", "stop", "server-9").err())
                    .contains("there is no server 'server-9'; the servers are server-1 to server-3");
        }
    }

    @Test
    void workloadWhoseVolumeWasTakenGetsANewAllocation() throws IOException {
        try (ClusterRun run = start(1, LogPlace.FILES, "volume db size=16Mi", "job database volumes=db")) {
            String first = awaitRunning(run, "");
            done("claim", "override", "default", "db", first, "--reason", "the test", "--yes");
            assertThat(awaitRunning(run, first)).isNotEqualTo(first);
        }
    }

    private String awaitRunning(ClusterRun run, String before) throws IOException {
        String[] found = {""};
        run.await("a new allocation", LIMIT, () -> {
            for (JsonElement row : run.ask("job list").getAsJsonObject().getAsJsonArray("jobs")) {
                JsonObject job = row.getAsJsonObject();
                String id = job.get("allocation").getAsString();
                if (!id.equals(before) && job.get("status").getAsString().equals("RUNNING")) {
                    found[0] = id;
                }
            }
            return !found[0].isEmpty();
        });
        return found[0];
    }

    @Test
    void killedDatabaseIsStartedAgain() throws IOException {
        try (ClusterRun run = start(1, LogPlace.POSTGRES)) {
            Path pid = run.layout().databaseDirectory().resolve("data/postmaster.pid");
            String before = Files.readAllLines(pid).get(0);
            ProcessHandle.of(Long.parseLong(before)).orElseThrow().destroyForcibly();
            run.await(
                    "another database",
                    LIMIT,
                    () -> Files.exists(pid) && !Files.readAllLines(pid).get(0).equals(before));
            run.await("a leader", LIMIT, () -> csi("claim", "waiting").code() == 0);
        }
    }
}

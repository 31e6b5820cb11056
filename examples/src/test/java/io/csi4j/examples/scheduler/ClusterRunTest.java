package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.id.NodeId;
import io.csi4j.examples.shell.SchedulerShell;
import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.shell.Csi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * One server and two nodes, whose plugins are started by a driver command. The tests use one cluster, in order. Takes
 * more than 20 seconds: nodes are killed and fenced, and jobs move to other nodes.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterRunTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final NodeId ONE = NodeId.of("node-1");

    private Path directory;
    private ClusterRun run;

    /** The result of a command of the shell. */
    private record Result(int code, String out, String err) {
        JsonElement json() {
            return JsonParser.parseString(out);
        }
    }

    @BeforeAll
    void startCluster() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        directory = Files.createTempDirectory("csi").toRealPath();
        Path jobs = Files.createTempFile("jobs", ".txt");
        Files.write(jobs, List.of("volume db size=16Mi", "job database volumes=db"));
        String driver = Path.of(System.getProperty("java.home"), "bin", "java")
                + " -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path")
                + "' io.csi4j.testkit.cli.FakePluginMain --endpoint {endpoint} --node-id {nodeId} --state-dir {dir}"
                + " --vendor-version {version}";
        run = new ClusterRun(directory, 1, 2, LogPlace.FILES, jobs, new DriverCommand(driver), false);
        run.start();
        Files.delete(jobs);
        run.await("the job", LIMIT, () -> running("database"));
    }

    @AfterAll
    void stopCluster() throws IOException {
        if (run != null) {
            List<Long> processes = run.machines().pids();
            assertThat(processes).hasSize(5);
            run.close();
            assertThat(processes)
                    .allSatisfy(process -> assertThat(ProcessHandle.of(process).filter(ProcessHandle::isAlive))
                            .isEmpty());
            assertThat(directory).doesNotExist();
            assertThat(ProcessMounts.read().under(directory)).isEmpty();
        }
    }

    private boolean running(String job) throws IOException {
        JsonArray jobs = run.ask("job list").getAsJsonObject().getAsJsonArray("jobs");
        return StreamSupport.stream(jobs.spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .anyMatch(row -> row.get("allocation").getAsString().startsWith(job)
                        && row.get("status").getAsString().equals("RUNNING"));
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

    private JsonObject volume() {
        return csi("volume", "status", "default", "db", "--json").json().getAsJsonObject();
    }

    private String nodeOfVolume() {
        return volume().getAsJsonArray("claims")
                .get(0)
                .getAsJsonObject()
                .get("node")
                .getAsString();
    }

    @Test
    @Order(1)
    void shellShowsHolderOfVolumeAsJsonAndAsTable() {
        JsonObject status = volume();
        assertThat(status.get("phase").getAsString()).isEqualTo("AVAILABLE");
        assertThat(status.getAsJsonArray("claims")).hasSize(1);
        assertThat(csi("volume", "status", "default", "db").out()).contains("16.0 MiB", "TAKEN", "PUBLISHED");
        assertThat(csi("plugin", "status", "hostpath", "--json")
                        .json()
                        .getAsJsonObject()
                        .get("healthyNodes")
                        .getAsInt())
                .isEqualTo(2);
        assertThat(csi("claim", "waiting").out()).isEqualTo("none\n");
        assertThat(csi("job", "list").out()).contains("database-0", "RUNNING", "db");
    }

    @Test
    @Order(1)
    void statusPageShowsVolumeToOperatorsOnly() throws Exception {
        URI page = URI.create("http://127.0.0.1:" + run.layout().page(1).getPort() + "/volumes");
        Path first = run.layout().firstToken().orElseThrow();
        String password = "operator:" + Files.readString(first).strip();
        String basic = Base64.getEncoder().encodeToString(password.getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(page)
                .header("Authorization", "Basic " + basic)
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("default/db");
        HttpRequest stranger = HttpRequest.newBuilder(page).build();
        assertThat(HttpClient.newHttpClient()
                        .send(stranger, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(401);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
                .isEqualTo("rw-------");
    }

    @Test
    @Order(1)
    void policiesOfTheDirectorySayWhatNewTokensMayDo() throws IOException {
        assertThat(csi("policy", "list").out()).contains("operator", "reader", "submitter");
        Path night = token("night-shift", "--management");
        assertThat(csi("node", "list", "--token-file", night.toString()).code()).isZero();
        Path operator = token("olga", "--policy", "operator");
        assertThat(csi("node", "list", "--token-file", operator.toString()).code())
                .isZero();
        Path reader = token("rob", "--policy", "reader");
        assertThat(csi("volume", "status", "default", "db", "--token-file", reader.toString())
                        .code())
                .isZero();
        assertThat(csi("volume", "delete", "default", "db", "--yes", "--token-file", reader.toString()))
                .satisfies(result -> {
                    assertThat(result.code()).isEqualTo(1);
                    assertThat(result.err()).contains("'rob' needs VOLUME_WRITE in namespace default");
                });
        Path submitter = token("sam", "--policy", "submitter");
        assertThat(csi("access", "check", "--namespace", "default", "--mounts", "--token-file", submitter.toString())
                        .code())
                .isZero();
        assertThat(csi("volume", "recheck", "default", "db", "--token-file", submitter.toString())
                        .err())
                .contains("'sam' needs");
    }

    /** Creates a token with the first one, and returns a file with its secret. */
    private Path token(String name, String... options) throws IOException {
        Result created = csi(Stream.concat(Stream.of("token", "create", "--name", name, "--json"), Stream.of(options))
                .toArray(String[]::new));
        assertThat(created.code()).as(created.err()).isZero();
        Path file = Files.createTempFile(directory, name, ".token");
        Files.writeString(file, created.json().getAsJsonObject().get("secret").getAsString());
        return file;
    }

    @Test
    @Order(2)
    void shellReportsFailuresByExitCode() {
        assertThat(csi("volume", "status", "default", "nope")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("there is no volume default/nope");
        });
        assertThat(csi("volume", "delete", "default", "db")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("repeat it with --yes");
        });
        assertThat(csi("volume", "delete", "default", "db", "--yes")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("in use by allocation database-0");
        });
        assertThat(csi("volume", "detach", "default", "db", nodeOfVolume())).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out()).contains("database-0");
        });
        for (List<String> destroying : List.of(
                List.of("node", "fence", "node-1"),
                List.of("server", "remove", "server-1"),
                List.of("server", "replace", "server-1", "server-2", "--address", "127.0.0.1:1"))) {
            assertThat(csi(destroying.toArray(new String[0]))).satisfies(result -> {
                assertThat(result.code()).isEqualTo(2);
                assertThat(result.err()).contains(destroying.get(1) + " " + destroying.get(2), "repeat it with --yes");
            });
        }
        assertThat(csi("node", "list").out()).contains("READY").doesNotContain("FENCED");
        String user = volume().getAsJsonArray("claims")
                .get(0)
                .getAsJsonObject()
                .get("allocation")
                .getAsString();
        assertThat(csi("claim", "release", "default", "db", user, "--yes")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("is RUNNING by the host's word", "End the allocation");
        });
        assertThat(csi("claim", "release", "default", "db", user, "--dry-run")).satisfies(result -> {
            assertThat(result.code()).isZero();
            assertThat(result.out()).contains("RUNNING");
        });
        assertThat(csi("volume", "expand", "default").code()).isEqualTo(2);
        assertThat(csi("node", "drain", "node-9")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("there is no node 'node-9'");
        });
        StringWriter err = new StringWriter();
        PrintWriter errors = new PrintWriter(err, true);
        assertThat(SchedulerShell.run(
                        Csi.builder().output(errors, errors), errors, "node", "list", "--dir", "/nowhere"))
                .isEqualTo(3);
        assertThat(err.toString()).contains("no scheduler runs in /nowhere");
    }

    @Test
    @Order(2)
    void commandsOfTheSchedulerStandBesideThoseOfTheShell() {
        assertThat(csi("node", "--help").out()).contains("\n  drain ", "\n  fence ", "\n  list ", "\n  status ");
        assertThat(csi("--help").out()).contains("job", "volume", "snapshot");
    }

    @Test
    @Order(3)
    void volumeInUseIsExpandedAndSnapshotted() {
        Result expanded = csi("volume", "expand", "default", "db", "--required", "32MiB", "--json");
        assertThat(expanded.code()).as(expanded.err()).isZero();
        assertThat(volume().get("capacityBytes").getAsLong()).isEqualTo(32 << 20);
        JsonObject snapshot = csi("snapshot", "create", "default", "db", "--name", "s1", "--json")
                .json()
                .getAsJsonObject();
        assertThat(snapshot.get("readyToUse").getAsBoolean()).isTrue();
        String id = snapshot.get("snapshotId").getAsString();
        assertThat(csi("snapshot", "list", "hostpath").out()).contains(id);
        Result restored = csi(
                "volume",
                "restore",
                "default",
                "restored",
                "--plugin",
                "hostpath",
                "--snapshot-id",
                id,
                "--requested-capability",
                "accessMode=SINGLE_NODE_WRITER,attachmentMode=MOUNT");
        assertThat(restored.code()).as(restored.err()).isZero();
        assertThat(restored.out()).contains("restored", "AVAILABLE");
        assertThat(csi("volume", "delete", "default", "restored", "--yes").code())
                .isZero();
        assertThat(csi("snapshot", "delete", "hostpath", id, "--yes").code()).isZero();
        assertThat(csi("snapshot", "list", "hostpath").out()).isEqualTo("none\n");
    }

    @Test
    @Order(3)
    void providerAgreesWithState() {
        assertThat(csi("plugin", "reconcile", "hostpath", "--json")
                        .json()
                        .getAsJsonObject()
                        .getAsJsonArray("drifts"))
                .isEmpty();
        assertThat(csi("orphan", "list", "hostpath", "--json")
                        .json()
                        .getAsJsonObject()
                        .getAsJsonArray("orphaned"))
                .isEmpty();
    }

    @Test
    @Order(3)
    void statementAboutNodeIsShownBeforeItIsMade() {
        String node = nodeOfVolume();
        Result shown = csi(
                "node", "override", node, "--statement", "UNMOUNTED", "--reason", "checked with findmnt", "--dry-run");
        assertThat(shown.code()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("database-0");
        assertThat(csi("volume", "status", "default", "db").out()).contains("TAKEN");
    }

    @Test
    @Order(3)
    void nodeReportsItsVolumes() {
        assertThat(csi("node", "status", nodeOfVolume(), "--json").out()).contains("db", "MOUNTED");
        assertThat(csi("node", "status", "nowhere").err()).contains("nowhere");
    }

    @Test
    @Order(3)
    void serverCommandsShowLogAndRefuseWrongAddress() {
        assertThat(csi("server", "log", "--json")
                        .json()
                        .getAsJsonObject()
                        .get("leading")
                        .getAsBoolean())
                .isTrue();
        assertThat(csi("log", "snapshot").code()).isZero();
        assertThat(csi("server", "peers").code()).isZero();
        assertThat(csi("server", "meters", "server-1", "csi4j_state_index").out())
                .containsPattern("(?m)^csi4j_state_index [1-9]")
                .doesNotContain("csi4j_claims");
        assertThat(csi("server", "meters", "server-9").code()).isEqualTo(Csi.UNREACHABLE);
        assertThat(csi("server", "add", "p9", "--address", "nowhere")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("'nowhere' is not HOST:PORT");
        });
    }

    @Test
    @Order(4)
    void leakCheckFindsVolumeInUse() throws IOException {
        assertThat(new LeakCheck(run).find())
                .anySatisfy(leak -> assertThat(leak).contains("is still mounted"))
                .anySatisfy(leak -> assertThat(leak).contains("as published to"));
    }

    @Test
    @Order(5)
    void jobSurvivesKillOfServerAndOfAgents() throws IOException {
        run.machines().killServer(1);
        run.layout().nodeIds().forEach(run.machines()::killAgent);
        run.await("the restarts", LIMIT, () -> run.machines().pids().size() == 5);
        run.await("the job", LIMIT, () -> running("database"));
        JobFile.edit(run.layout().jobs(), lines -> List.of("volume db size=16Mi"));
        run.await("the release", LIMIT, () -> run.remaining().isEmpty());
        assertThat(new LeakCheck(run).find()).isEmpty();
    }

    @Test
    @Order(6)
    void waitingClaimShowsHolderAndIsGrantedAfterHolderEnds() throws IOException {
        String volume = "volume db size=16Mi";
        JobFile.edit(run.layout().jobs(), lines -> List.of(volume, "job first volumes=db"));
        run.await("the first job", LIMIT, () -> running("first"));
        JobFile.edit(run.layout().jobs(), lines -> List.of(volume, "job first volumes=db", "job second volumes=db"));
        run.await(
                "the waiting claim", LIMIT, () -> csi("claim", "waiting").out().contains("held by allocation first-0"));
        assertThat(running("second")).isFalse();
        JobFile.edit(run.layout().jobs(), lines -> List.of(volume, "job second volumes=db"));
        run.await("the second job", LIMIT, () -> running("second"));
    }

    @Test
    @Order(6)
    void wrongLineStopsNoOtherJob() throws IOException {
        Path jobs = run.layout().jobs();
        List<String> right = Files.readAllLines(jobs);
        Files.write(
                jobs,
                List.of(
                        "volume db size=16Mi",
                        "job ghost volumes=nosuch",
                        "job second volumes=db count=x",
                        "job late"));
        run.await("the job after the wrong line", LIMIT, () -> running("late"));
        assertThat(running("second")).as("its line is wrong, so it stays").isTrue();
        Result listed = csi("job", "list");
        assertThat(listed.code()).isEqualTo(1);
        assertThat(listed.out()).contains("late-0", "second-0").doesNotContain("nosuch");
        assertThat(listed.err())
                .contains(
                        "csi: wrong line, the others count: " + jobs
                                + ", line 2, 'job ghost volumes=nosuch': there is no line 'volume nosuch' above it; add that line,"
                                + " or take the volume out of this one\n",
                        jobs + ", line 3, 'job second volumes=db count=x': 'count=x' is no number; write count=1");
        assertThat(csi("job", "list", "--json").json().getAsJsonObject().getAsJsonArray("problems"))
                .hasSize(2);
        assertThat(csi("node", "undrain", "node-1").code()).isZero();
        String log = Files.readString(run.layout().log("server-1"));
        assertThat(log.lines().filter(line -> line.contains("'job ghost volumes=nosuch'")))
                .as("said once for a change of the file")
                .hasSize(1);
        JobFile.edit(jobs, lines -> right);
        run.await("the end of the job without line", LIMIT, () -> !running("late"));
        assertThat(csi("job", "list").code()).isZero();
    }

    @Test
    @Order(7)
    void drainedNodeHasNoVolumeLeft() throws IOException {
        String node = nodeOfVolume();
        assertThat(csi("node", "drain", node).code()).isZero();
        assertThat(ProcessMounts.read().under(run.layout().node(NodeId.of(node))))
                .isEmpty();
        run.await("the job on the other node", LIMIT, () -> running("second"));
        assertThat(csi("node", "undrain", node).out()).contains("READY").doesNotContain("true");
    }

    @Test
    @Order(8)
    void upgradedPluginReportsItsVersionAndKeepsMounts() throws IOException {
        List<Path> mounts = run.mounts();
        assertThat(csi("plugin", "upgrade", ONE.value(), "--to", "2.0.0").code())
                .isZero();
        run.await(
                "the new version",
                LIMIT,
                () -> csi("plugin", "status", "hostpath").out().contains("2.0.0"));
        assertThat(run.mounts()).containsAll(mounts);
    }

    @Test
    @Order(9)
    void schedulerNeedsNoTokenOfItsOperators() throws IOException {
        Path night = token("last-night", "--management");
        JsonArray tokens =
                csi("token", "list", "--json").json().getAsJsonObject().getAsJsonArray("items");
        for (JsonElement token : tokens) {
            if (token.getAsJsonObject().get("name").getAsString().equals("first")) {
                String id = token.getAsJsonObject().get("token").getAsString();
                assertThat(csi("token", "revoke", id, "--yes").code()).isZero();
            }
        }
        assertThat(csi("volume", "list").err()).contains("the token is not valid");
        Files.delete(run.layout().firstToken().orElseThrow());
        assertThat(csi("volume", "list").err()).contains("no valid token came with the request");
        assertThat(csi("volume", "list", "--token-file", night.toString()).out())
                .contains("db");
        run.endJobs(LIMIT, () -> {});
        run.deleteVolumes();
        assertThat(csi("volume", "list", "--token-file", night.toString()).out())
                .isEqualTo("none\n");
    }
}

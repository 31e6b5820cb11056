package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.id.NodeId;
import io.csi4j.examples.shell.Csi;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
        JsonArray jobs = run.ask("job status", new JsonObject()).getAsJsonArray();
        return StreamSupport.stream(jobs.spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .anyMatch(row -> row.get("allocation").getAsString().startsWith(job)
                        && row.get("status").getAsString().equals("RUNNING"));
    }

    private Result csi(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Csi.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(Stream.concat(Stream.of(arguments), Stream.of("--dir", directory.toString()))
                        .toArray(String[]::new));
        return new Result(code, out.toString(), err.toString());
    }

    @Test
    @Order(1)
    void shellShowsHolderOfVolumeAsJsonAndAsTable() {
        JsonObject status = csi("volume", "status", "db", "--json").json().getAsJsonObject();
        assertThat(status.get("phase").getAsString()).isEqualTo("AVAILABLE");
        assertThat(status.getAsJsonArray("claims")).hasSize(1);
        assertThat(csi("volume", "status", "default/db").out())
                .contains("CAPACITY BYTES 16777216", "TAKEN", "PUBLISHED");
        assertThat(csi("plugin", "status", "--json")
                        .json()
                        .getAsJsonArray()
                        .get(0)
                        .getAsJsonObject())
                .satisfies(plugin ->
                        assertThat(plugin.get("healthyNodes").getAsInt()).isEqualTo(2));
        assertThat(csi("claims", "--waiting").out()).isEqualTo("none\n");
    }

    @Test
    @Order(1)
    void statusPageShowsVolume() throws Exception {
        URI page = URI.create("http://127.0.0.1:" + run.layout().page(1).getPort() + "/volumes");
        HttpRequest request = HttpRequest.newBuilder(page).build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("default/db");
    }

    @Test
    @Order(2)
    void shellReportsFailuresByExitCode() {
        assertThat(csi("volume", "status", "nope")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("volume default/nope is not in the state");
        });
        assertThat(csi("volume", "delete", "db")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("in use by allocation database-0");
        });
        assertThat(csi("volume", "expand", "db").code()).isEqualTo(2);
        assertThat(csi("node", "drain", "node-9").code()).isEqualTo(2);
        assertThat(Csi.commandLine()
                        .setErr(new PrintWriter(new StringWriter()))
                        .execute("node", "status", "--dir", "/nowhere"))
                .isEqualTo(3);
    }

    @Test
    @Order(3)
    void volumeInUseIsExpandedAndSnapshotted() throws IOException {
        Result expanded = csi("volume", "expand", "db", "--size", "32Mi", "--json");
        assertThat(expanded.code()).as(expanded.err()).isZero();
        assertThat(expanded.json().getAsJsonObject().get("capacityBytes").getAsLong())
                .isEqualTo(32 << 20);
        assertThat(expanded.err()).contains("expanded");
        JsonObject snapshot =
                csi("volume", "snapshot", "db", "--name", "s1", "--json").json().getAsJsonObject();
        assertThat(snapshot.get("ready").getAsBoolean()).isTrue();
        run.ask("snapshot delete", "snapshot", snapshot.get("snapshot").getAsString());
    }

    @Test
    @Order(3)
    void snapshotIsListedRestoredIntoNewVolumeAndDeleted() throws IOException {
        String snapshot = csi("volume", "snapshot", "db", "--name", "s2", "--json")
                .json()
                .getAsJsonObject()
                .get("snapshot")
                .getAsString();
        assertThat(csi("snapshot", "list").out()).contains(snapshot);
        Result restored = csi("volume", "create", "restored", "--size", "64Mi", "--from-snapshot", snapshot);
        assertThat(restored.code()).as(restored.err()).isZero();
        assertThat(restored.out()).contains("default/restored", "AVAILABLE");
        assertThat(csi("volume", "recheck", "restored").out()).contains("AVAILABLE");
        assertThat(csi("volume", "delete", "restored").code()).isZero();
        assertThat(csi("snapshot", "delete", snapshot).code()).isZero();
        assertThat(csi("snapshot", "list").out()).isEqualTo("none\n");
    }

    @Test
    @Order(3)
    void providerIsComparedWithStateAndSearchedForOrphans() {
        assertThat(csi("plugin", "reconcile").out()).isEqualTo("none\n");
        assertThat(csi("plugin", "reconcile", "hostpath", "--repair").code()).isZero();
        assertThat(csi("plugin", "orphans").out()).isEqualTo("none\n");
        assertThat(csi("plugin", "orphans", "other")).satisfies(result -> {
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.err()).contains("other");
        });
    }

    @Test
    @Order(3)
    void repairsOfVolumeWithoutProblemChangeNothing() {
        assertThat(csi("volume", "withdraw-deletion", "db").out()).contains("AVAILABLE", "TAKEN");
        assertThat(csi("volume", "override-claim", "db", "ended-0", "--reason", "checked with findmnt"))
                .satisfies(result -> {
                    assertThat(result.code()).isEqualTo(1);
                    assertThat(result.err()).contains("ended-0");
                });
        assertThat(csi("volume", "override-attachment", "db", "node-1").code()).isEqualTo(2);
    }

    @Test
    @Order(3)
    void statementAboutNodeIsShownBeforeItIsMade() {
        String node = csi("volume", "status", "db", "--json")
                .json()
                .getAsJsonObject()
                .getAsJsonArray("claims")
                .get(0)
                .getAsJsonObject()
                .get("node")
                .getAsString();
        assertThat(csi("node", "preview", node, "UNMOUNTED").out())
                .contains("claim", "default/db", "its allocation has not ended");
        assertThat(csi("volume", "status", "db").out()).contains("TAKEN");
        assertThat(csi("node", "override", node, "MACHINE_RENAMED", "--reason", "new driver")
                        .out())
                .isEqualTo("none\n");
        assertThat(csi("node", "override", node, "UNMOUNTED").code()).isEqualTo(2);
        assertThat(csi("node", "preview", node, "GONE").err()).contains("FORMER_MACHINE_LOST");
    }

    @Test
    @Order(3)
    void volumeIsForgottenAndCreationWithdrawnOnlyWherePossible() {
        assertThat(csi("volume", "create", "spare", "--size", "16Mi").code()).isZero();
        assertThat(csi("volume", "withdraw-creation", "spare", "--reason", "test"))
                .satisfies(result -> {
                    assertThat(result.code()).isEqualTo(1);
                    assertThat(result.err()).contains("spare");
                });
        String id = csi("volume", "status", "spare", "--json")
                .json()
                .getAsJsonObject()
                .get("externalId")
                .getAsString();
        assertThat(csi("volume", "forget", "db", "--reason", "test").code()).isEqualTo(1);
        assertThat(csi("volume", "forget", "spare", "--reason", "test").out()).isEqualTo("none\n");
        assertThat(csi("volume", "leftovers").out()).isEqualTo("none\n");
        assertThat(csi("volume", "withdrawn").out()).isEqualTo("none\n");
        assertThat(csi("volume", "override-leftover", "hostpath", id, "--reason", "test")
                        .err())
                .contains(id);
        assertThat(csi("volume", "forget-withdrawn", "hostpath", "spare", "--reason", "test")
                        .err())
                .contains("spare");
        assertThat(csi("volume", "register", "spare", "--external-id", id).code())
                .isZero();
        assertThat(csi("volume", "delete", "spare").code()).isZero();
    }

    @Test
    @Order(3)
    void providerOfPluginIsStatedOnRecord() {
        assertThat(csi("plugin", "provider", "hostpath", "other.example").code())
                .isEqualTo(2);
        String name = csi("plugin", "status", "--json")
                .json()
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject()
                .get("provider")
                .getAsString();
        assertThat(csi("plugin", "provider", "hostpath", name, "--reason", "test")
                        .out())
                .contains(name);
    }

    @Test
    @Order(3)
    void nodeReportsItsVolumesAndForgetsNoMountInUse() {
        String jobs = csi("jobs").out();
        String nodes = java.util.stream.Stream.of("node-1", "node-2", "node-3")
                .map(node -> csi("node", "report", node).out())
                .collect(java.util.stream.Collectors.joining());
        assertThat(nodes).as(jobs).contains("default/db", "MOUNTED");
        assertThat(csi("node", "report", "nowhere").err()).contains("there is no node 'nowhere'");
        assertThat(csi("volume", "forget-unmount", "db", "node-1", "ended-0").code())
                .isEqualTo(2);
    }

    @Test
    @Order(3)
    void serverStatusAndBackupNameLeaderAndFiles() {
        assertThat(csi("server", "status").out()).contains("LEADER", "APPLIED INDEX");
        assertThat(csi("server", "backup").out())
                .contains(
                        "SNAPSHOT INDEX",
                        run.layout().serverData(1).resolve("log").toString(),
                        "secrets.key");
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
                "the waiting claim",
                LIMIT,
                () -> csi("claims", "--waiting").out().contains("held by allocation first-0"));
        assertThat(running("second")).isFalse();
        JobFile.edit(run.layout().jobs(), lines -> List.of(volume, "job second volumes=db"));
        run.await("the second job", LIMIT, () -> running("second"));
    }

    @Test
    @Order(7)
    void drainedNodeHasNoVolumeLeft() throws IOException {
        String node = csi("volume", "status", "db", "--json")
                .json()
                .getAsJsonObject()
                .getAsJsonArray("claims")
                .get(0)
                .getAsJsonObject()
                .get("node")
                .getAsString();
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
        run.await("the new version", LIMIT, () -> csi("plugin", "status").out().contains("node-1 MONOLITH true 2.0.0"));
        assertThat(run.mounts()).containsAll(mounts);
    }
}

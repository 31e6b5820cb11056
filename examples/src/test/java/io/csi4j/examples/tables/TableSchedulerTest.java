package io.csi4j.examples.tables;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.examples.MarkedCode;
import io.csi4j.examples.Program;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.state.ClearTextSecretsCipher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scheduler is killed at each statement, and its tables never contradict the allocations and claims of csi4j. */
@Timeout(120)
class TableSchedulerTest {
    private static final Path SOURCE = Path.of("src/main/java/io/csi4j/examples/tables/TableScheduler.java");
    private static final NodeId NODE = NodeId.of("node-1");
    private static final PluginId PLUGIN = PluginId.of("disk");

    private static PostgresServer postgres;
    private static DataSource database;
    private static JdbcCommandLog log;
    private static VolumeLifecycle volumes;
    private static int jobs;

    /** The process of the host ends. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @BeforeAll
    static void start() throws Exception {
        postgres = PostgresServer.start();
        database = postgres.dataSource();
        TableScheduler.TABLES.forEach(postgres::execute);
        postgres.execute("INSERT INTO node VALUES ('" + NODE + "')");
        log = JdbcCommandLog.builder(database)
                .server("parent")
                .createTables()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .start();
        volumes = VolumeLifecycle.of(log, new InstantGateway());
        var unused = log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                volumes.startLeading();
            }

            @Override
            public void stopLeading() {
                volumes.stopLeading();
            }
        });
        await("the server leads", () -> log.status().leading());
        volumes.cluster().nodeReady(NODE).join();
        volumes.cluster().nodePlugins(NODE, List.of(plugin())).join();
    }

    @AfterAll
    static void stop() {
        volumes.close();
        log.close();
        postgres.close();
    }

    private static PluginInstance plugin() {
        return PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.empty()), Instant.now())
                .provider("disk.example.com")
                .vendorVersion("1.0")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 0, Optional.empty()))
                .build();
    }

    private static TableScheduler scheduler() {
        return new TableScheduler(database, log, volumes);
    }

    private static List<String> values(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static String newJob(boolean registered) {
        String job = "job-" + jobs++;
        if (registered) {
            VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                    .externalVolumeId(ExternalVolumeId.of(job))
                    .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                    .build();
            volumes.volumes().register(volumeOf(job), spec).join();
        }
        postgres.execute(
                "INSERT INTO job VALUES ('" + job + "', true)",
                "INSERT INTO job_volume VALUES ('" + job + "', '" + job + "')");
        return job;
    }

    private static VolumeKey volumeOf(String job) {
        return VolumeKey.of("default", job);
    }

    private static void unwanted(String job) {
        postgres.execute("UPDATE job SET wanted = false WHERE id = '" + job + "'");
    }

    private static boolean placed(String job, String state) {
        return values("SELECT state FROM placement WHERE job = '" + job + "'").contains(state);
    }

    private static void stepUntil(TableScheduler scheduler, String job, String state) throws SQLException {
        while (!placed(job, state)) {
            scheduler.step();
        }
    }

    /** Takes a job from its first placement to its end. */
    private static void wholeLife(TableScheduler scheduler, String job) throws SQLException {
        stepUntil(scheduler, job, "RUNNING");
        unwanted(job);
        stepUntil(scheduler, job, "ENDED");
        while (placed(job, "ENDED")) {
            scheduler.step();
        }
        assertThat(values("SELECT text FROM event WHERE job = '" + job + "' ORDER BY at"))
                .containsExactly("placed on node-1", "started", "ended: not wanted any more");
    }

    /** No workload is without its claims, and no claim without its workload. */
    private static void assertConsistent(String when) {
        StateReader state = log.readRecorded().orTimeout(20, TimeUnit.SECONDS).join();
        List<String> allocations = new ArrayList<>();
        List<String> claiming = new ArrayList<>();
        for (Allocation allocation : state.allocations()) {
            allocations.add(allocation.id().value());
            if (!allocation.ended()) {
                assertThat(state.requestedClaimsOf(allocation.id()).iterator().hasNext()
                                || state.volumesClaimedBy(allocation.id())
                                        .iterator()
                                        .hasNext())
                        .as("%s: allocation %s has its claims", when, allocation)
                        .isTrue();
                claiming.add(allocation.id().value());
            }
        }
        assertThat(values("SELECT id FROM placement")).as(when).containsExactlyInAnyOrderElementsOf(allocations);
        assertThat(values("SELECT id FROM placement WHERE state <> 'ENDED'"))
                .as(when)
                .containsExactlyInAnyOrderElementsOf(claiming);
        state.requestedClaims()
                .forEach(request -> assertThat(claiming)
                        .as(when)
                        .contains(request.allocationId().value()));
    }

    /** Ends the job that a killed scheduler has left, and checks that its volume is free. */
    private static void recover(String job, String when) throws SQLException {
        TableScheduler next = scheduler();
        stepUntilPlacedOrGone(next, job);
        unwanted(job);
        while (!values("SELECT id FROM placement").isEmpty()) {
            next.step();
        }
        assertConsistent(when);
        StateReader state = log.readRecorded().join();
        assertThat(state.allocations()).as(when).isEmpty();
        assertThat(state.volume(volumeOf(job)).orElseThrow().inUse()).as(when).isFalse();
    }

    private static void stepUntilPlacedOrGone(TableScheduler next, String job) throws SQLException {
        boolean wanted = values("SELECT id FROM job WHERE wanted").contains(job);
        if (wanted) {
            stepUntil(next, job, "RUNNING");
        }
    }

    @Test
    void killAtEachStatementLeavesNoWorkloadWithoutClaimsAndNoClaimWithoutWorkload() throws Exception {
        Set<List<String>> points = new LinkedHashSet<>();
        wholeLife(
                new TableScheduler(
                        WatchedDatabase.of(database, (connection, transaction) -> points.add(transaction)),
                        log,
                        volumes),
                newJob(true));
        assertThat(points).hasSizeGreaterThan(30);
        assertConsistent("after the first job");

        for (List<String> point : points) {
            String job = newJob(true);
            DataSource killing = WatchedDatabase.of(database, (connection, transaction) -> {
                if (transaction.equals(point)) {
                    connection.abort(Runnable::run);
                    throw new Killed();
                }
            });
            assertThatThrownBy(() -> wholeLife(new TableScheduler(killing, log, volumes), job))
                    .as(point.toString())
                    .isInstanceOf(Killed.class);
            assertConsistent(point.toString());
            recover(job, point.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, INSERT INTO placement, WITH recorded, 0",
        "true, INSERT INTO placement, commit, 0",
        "true, INSERT INTO placement, answer of the commit, 1",
        "false, UPDATE job SET wanted, commit, 1",
        "false, UPDATE job SET wanted, answer of the commit, 0"
    })
    void killedProcessLeavesBothOrNeither(
            boolean placing, String transaction, String point, int left, @TempDir Path directory) throws Exception {
        String job = newJob(true);
        if (!placing) {
            stepUntil(scheduler(), job, "RUNNING");
            unwanted(job);
        }
        CompletableFuture<String> line = new CompletableFuture<>();
        try (Program child = new Program(
                HostProgram.class, directory, line::complete, Integer.toString(postgres.port()), transaction, point)) {
            assertThat(line.get(60, TimeUnit.SECONDS)).as(child.err()).isEqualTo("here");
            child.signal("KILL");
        }
        assertConsistent(point);
        assertThat(values("SELECT id FROM placement WHERE state <> 'ENDED'")).hasSize(left);
        recover(job, point);
    }

    @Test
    void refusedClaimsEndThePlacementWithTheReason() throws Exception {
        String job = newJob(false);
        TableScheduler scheduler = scheduler();
        stepUntil(scheduler, job, "ENDED");
        assertThat(values("SELECT text FROM event WHERE job = '" + job + "' ORDER BY at"))
                .last()
                .asString()
                .startsWith("ended: the claims were refused: ")
                .contains("volume default/" + job + " is not registered");
        while (placed(job, "ENDED")) {
            scheduler.step();
        }
        assertConsistent("after the refusal");
    }

    @Test
    void rejectedAllocationEndsThePlacement() throws Exception {
        postgres.execute("INSERT INTO node VALUES ('another')");
        volumes.cluster().nodeReady(NodeId.of("another")).join();
        volumes.cluster().nodeFenced(NodeId.of("another"), "broken").join();
        String job = newJob(true);
        postgres.execute("INSERT INTO job VALUES ('held', true)");
        postgres.execute("INSERT INTO placement SELECT 'held-' || n, 'held', '" + NODE
                + "', 'RUNNING' FROM generate_series(1, 3) AS n");
        TableScheduler scheduler = scheduler();
        try {
            stepUntil(scheduler, job, "PLACED");
            assertThat(values("SELECT node FROM placement WHERE job = '" + job + "'"))
                    .containsExactly("another");
            stepUntil(scheduler, job, "ENDED");
        } finally {
            postgres.execute("DELETE FROM placement WHERE job = 'held'", "DELETE FROM job WHERE id = 'held'");
        }
        assertThat(values("SELECT text FROM event WHERE job = '" + job + "' ORDER BY at"))
                .last()
                .isEqualTo("ended: the allocation was rejected");
        while (placed(job, "ENDED")) {
            scheduler.step();
        }
        postgres.execute("DELETE FROM node WHERE id = 'another'");
        assertConsistent("after the rejection");
    }

    @Test
    void guideShowsCompiledExample() throws Exception {
        assertThat(Files.readString(Path.of("../docs/guide/database.md"))).contains(MarkedCode.block(SOURCE));
    }
}

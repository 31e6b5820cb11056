package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static io.csi4j.replication.jdbc.HostTransactions.NAMESPACE;
import static io.csi4j.replication.jdbc.HostTransactions.NODE;
import static io.csi4j.replication.jdbc.HostTransactions.awaitAllocation;
import static io.csi4j.replication.jdbc.HostTransactions.commit;
import static io.csi4j.replication.jdbc.HostTransactions.has;
import static io.csi4j.replication.jdbc.HostTransactions.logged;
import static io.csi4j.replication.jdbc.HostTransactions.place;
import static io.csi4j.replication.jdbc.HostTransactions.status;
import static io.csi4j.replication.jdbc.HostTransactions.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.state.AesGcmSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStoreOptions;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands in transactions of the host, on PostgreSQL. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class JdbcTransactionTest {
    private static final AccountName ACCOUNT = AccountName.of("builder");
    private static final PluginId PLUGIN = PluginId.of("disk.example.com");
    private static final VolumeKey VOLUME = VolumeKey.of("default", "data");

    private TestSchema schema;
    private TestServers servers;
    private Server server;
    private Connection host;
    private Warnings warnings;

    @BeforeEach
    void start(TestSchema place) throws Exception {
        schema = place;
        servers = TestServers.in(place);
        server = servers.start("a");
        host = servers.connect();
        HostTransactions.createTable(host);
        warnings = new Warnings();
    }

    @AfterEach
    void stop() throws SQLException {
        warnings.close();
        host.close();
        servers.close();
    }

    private List<String> jobs() {
        return servers.values("SELECT id FROM job ORDER BY id");
    }

    private long waiting() {
        return Long.parseLong(servers.query("SELECT count(*) FROM csi4j_submission"));
    }

    private void pluginRuns() {
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.empty()), TestServers.NOW)
                .provider(PLUGIN.value())
                .vendorVersion("1.0")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.CREATE_DELETE_VOLUME)
                        .withNode())
                .build();
        server.log.submit(TestServers.node(NODE.value())).join();
        server.log
                .submit(new PluginCommand.FingerprintNode(NODE, List.of(instance), TestServers.NOW))
                .join();
    }

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(HostTransactions.WRITER));
    }

    @Test
    void commandsAreAppliedAtAllServersAfterCommitAndNotBefore() throws Exception {
        Server other = servers.start("b");
        await("one server leads", () -> server.leads() || other.leads());
        host.setAutoCommit(false);
        JdbcTransaction transaction = other.log.in(host);
        place(host, transaction, "web");
        transaction.requestClaims(AllocationId.of("web"), writing("data"));
        server.log.readLinearizable().join();
        assertThat(has(server.log, "web")).isFalse();
        assertThat(host.getAutoCommit()).isFalse();

        host.commit();

        for (Server each : servers.open()) {
            await(
                    "the claims are requested at " + each.name,
                    () -> each.log
                            .state()
                            .snapshot()
                            .requestedClaimsOf(AllocationId.of("web"))
                            .iterator()
                            .hasNext());
            assertThat(status(each.log, "web")).isEqualTo(AllocationStatus.PENDING);
        }
        assertThat(jobs()).containsExactly("web");
        assertThat(waiting()).isZero();
        servers.assertEqualStates();
    }

    @Test
    void rollbackLeavesNeitherRowNorCommand() throws Exception {
        host.setAutoCommit(false);
        place(host, server.log.in(host), "given-up");
        host.rollback();
        commit(server.log, host, (connection, transaction) -> place(connection, transaction, "kept"));
        awaitAllocation(server, "kept");

        assertThat(jobs()).containsExactly("kept");
        assertThat(logged(servers)).containsExactly("kept");
    }

    @Test
    void eachMethodRecordsTheCommandOfTheCallOfTheSameName() throws Exception {
        pluginRuns();
        commit(server.log, host, (connection, transaction) -> {
            transaction.createVolume(VOLUME, spec().build());
            for (String id : List.of("placed", "started", "stopping", "ended", "forgotten", "withdrawn")) {
                transaction.allocationPlaced(AllocationId.of(id), NAMESPACE, NODE);
                transaction.requestClaims(AllocationId.of(id), writing("data"));
            }
            transaction.allocationStarted(AllocationId.of("started"), NAMESPACE, NODE);
            transaction.allocationPlaced(AllocationId.of("placed-for"), NAMESPACE, NODE, ACCOUNT);
            transaction.allocationStarted(AllocationId.of("started-for"), NAMESPACE, NODE, ACCOUNT);
            transaction.allocationStopping(AllocationId.of("stopping"), NAMESPACE, NODE);
            transaction.allocationEnded(AllocationId.of("ended"), NAMESPACE, NODE);
            transaction.allocationForgotten(AllocationId.of("forgotten"));
            transaction.withdrawClaims(AllocationId.of("withdrawn"));
        });
        await("all are moved", () -> waiting() == 0);
        server.log.readLinearizable().join();

        assertThat(List.of("placed", "started", "stopping", "ended", "withdrawn"))
                .extracting(id -> status(server.log, id))
                .containsExactly(
                        AllocationStatus.PENDING,
                        AllocationStatus.RUNNING,
                        AllocationStatus.STOPPING,
                        AllocationStatus.ENDED,
                        AllocationStatus.PENDING);
        assertThat(List.of("placed-for", "started-for", "placed"))
                .extracting(id -> server.log
                        .state()
                        .snapshot()
                        .allocation(AllocationId.of(id))
                        .orElseThrow()
                        .account())
                .containsExactly(Optional.of(ACCOUNT), Optional.of(ACCOUNT), Optional.empty());
        assertThat(List.of("placed-for", "started-for"))
                .extracting(id -> status(server.log, id))
                .containsExactly(AllocationStatus.PENDING, AllocationStatus.RUNNING);
        assertThat(has(server.log, "forgotten")).isFalse();
        assertThat(server.log.state().snapshot().requestedClaims())
                .extracting(claims -> claims.allocationId().value())
                .containsExactlyInAnyOrder("placed", "started", "stopping");
        assertThat(server.log.state().snapshot().volume(VOLUME).orElseThrow().phase())
                .isEqualTo(VolumePhase.CREATING);

        commit(server.log, host, (connection, transaction) -> transaction.deleteVolume(VOLUME));
        await(
                "the volume is to be deleted",
                () -> server.log.state().snapshot().volume(VOLUME).orElseThrow().phase() == VolumePhase.DELETING);
        assertThat(warnings.lines()).isEmpty();
    }

    @Test
    void commandsOfOneTransactionAndOfTransactionsInTurnKeepTheirOrder() throws Exception {
        Server other = servers.start("b");
        List<String> expected =
                IntStream.range(0, 600).mapToObj(i -> "alloc-" + i).toList();
        try (Connection second = servers.connect()) {
            for (int from = 0; from < expected.size(); from += 60) {
                List<String> part = expected.subList(from, from + 60);
                commit(
                        from % 120 == 0 ? server.log : other.log,
                        from % 120 == 0 ? host : second,
                        (connection, transaction) -> {
                            for (String id : part) {
                                place(connection, transaction, id);
                            }
                        });
            }
        }
        awaitAllocation(server, "alloc-599");
        assertThat(logged(servers)).containsExactlyElementsOf(expected);
    }

    @Test
    void stateAfterCommitShowsCommandsOfThisTransactionAtEachServer() throws Exception {
        Server other = servers.start("b");
        for (int i = 0; i < 20; i++) {
            String id = "web-" + i;
            commit(server.log, host, (connection, transaction) -> place(connection, transaction, id));
            JdbcCommandLog reader = i % 2 == 0 ? server.log : other.log;
            assertThat(reader.readRecorded().get(20, TimeUnit.SECONDS).allocation(AllocationId.of(id)))
                    .isPresent();
        }
    }

    @Test
    void stateAfterCommitIsNotAnsweredWithoutLeader() throws Exception {
        await("the server leads", server::leads);
        servers.execute(
                "UPDATE csi4j_lease SET term = term + 1, holder = 1, leader = 'absent'",
                "UPDATE csi4j_head SET term = term + 1");
        await("the server leads no more", () -> !server.leads());
        commit(server.log, host, (connection, transaction) -> place(connection, transaction, "web"));
        CompletableFuture<?> answer = server.log.readRecorded();
        await("the server leads again", server::leads);
        assertThat(answer).succeedsWithin(20, TimeUnit.SECONDS);
        server.log.close();
        assertThat(server.log.readRecorded()).failsWithin(20, TimeUnit.SECONDS);
    }

    @Test
    void commandsOfTransactionThatEndsLastComeLast() throws Exception {
        host.setAutoCommit(false);
        place(host, server.log.in(host), "began-first");
        try (Connection second = servers.connect()) {
            commit(server.log, second, (connection, transaction) -> place(connection, transaction, "ended-first"));
        }
        awaitAllocation(server, "ended-first");
        host.commit();
        awaitAllocation(server, "began-first");
        assertThat(logged(servers)).containsExactly("ended-first", "began-first");
    }

    @Test
    void commandsWaitForTheNextLeader() throws Exception {
        Server leader = servers.leader();
        JdbcCommandLog follower = servers.start("b").log;
        leader.crash();
        // The follower has seen renewals until now, and its lease is not over.
        commit(follower, host, (connection, transaction) -> place(connection, transaction, "web"));
        await("the next server leads", () -> follower.status().leading());
        await("the command is applied", () -> has(follower, "web"));
        servers.close(leader);
        assertThat(logged(servers)).containsExactly("web");
    }

    @Test
    void rejectedCommandIsLoggedWithItsSubjectAndReason() throws Exception {
        server.log
                .submit(new NodeCommand.UpsertNode(NODE, TestServers.NOW))
                .thenCompose(done -> server.log.submit(new NodeCommand.FenceNode(NODE, "broken", TestServers.NOW)))
                .join();
        commit(server.log, host, (connection, transaction) -> {
            place(connection, transaction, "web");
            transaction.requestClaims(AllocationId.of("web"), writing("data"));
            transaction.allocationPlaced(AllocationId.of("later"), NAMESPACE, NodeId.of("other"));
        });
        awaitAllocation(server, "later");

        assertThat(warnings.lines())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .contains("of a transaction of the host was rejected and changed nothing")
                        .contains("placed allocation web on node node-1")
                        .contains("node node-1 is FENCED"))
                .anySatisfy(line -> assertThat(line).contains("claims of allocation web on default/data"));
        assertThat(waiting()).isZero();
        assertThat(has(server.log, "web")).isFalse();
    }

    /** Inserts a row that no call has checked. */
    private void insert(byte[] content) throws SQLException {
        host.setAutoCommit(true);
        try (PreparedStatement insert = host.prepareStatement("INSERT INTO csi4j_submission (subject, recorded_at,"
                + " content) VALUES ('placed allocation of a test', CURRENT_TIMESTAMP, ?)")) {
            insert.setBytes(1, content);
            insert.executeUpdate();
        }
    }

    private void assertBlocks(byte[] content, String reason) throws SQLException {
        await("the server leads", server::leads);
        commit(server.log, host, (connection, transaction) -> place(connection, transaction, "before"));
        insert(content);
        commit(server.log, host, (connection, transaction) -> place(connection, transaction, "after"));

        warnings.await("(placed allocation of a test) of a transaction of the host cannot be read: ", reason);
        awaitAllocation(server, "before");
        server.submitAll("other-commands-", 3);
        assertThat(has(server.log, "after")).isFalse();
        assertThat(warnings.lines()).hasSize(1);

        String remedy =
                warnings.lines().get(0).substring(warnings.lines().get(0).indexOf("DELETE"));
        servers.execute(remedy);
        awaitAllocation(server, "after");
        assertThat(logged(servers)).containsExactly("before", "after");
    }

    @Test
    void unreadableCommandBlocksThoseAfterItUntilRemedyWasRun() throws Exception {
        assertBlocks(new byte[] {1, 2, 3}, "");
    }

    @Test
    void commandWithUnknownKeyBlocks() throws Exception {
        CommandCodec codec = CommandCodec.of(StateStoreOptions.builder()
                .secretsCipher(AesGcmSecretsCipher.builder()
                        .currentKey("unknown-key", new SecretKeySpec(new byte[32], "AES"))
                        .build())
                .build());
        pluginRuns();
        byte[] content = codec.encodeCommand(new VolumeCommand.RegisterVolume(
                VOLUME,
                spec().secrets(Secrets.of(Map.of("password", "hidden"))).build(),
                VolumeOrigin.CREATED,
                ProviderFacts.none(),
                TestServers.NOW));
        assertBlocks(content, "unknown-key");
    }

    /** A role that may only insert rows must not remove nodes. */
    @Test
    void commandThatNoMethodRecordsBlocks() throws Exception {
        CommandCodec codec = CommandCodec.of(TestServers.READABLE);
        assertBlocks(
                codec.encodeCommand(new NodeCommand.RemoveNode(NODE, "forged", TestServers.NOW)),
                "it is a command that this version does not take from transactions of the host");
    }

    @Test
    void wrongInputWritesNothingAndLeavesTransactionUsable() throws Exception {
        pluginRuns();
        host.setAutoCommit(false);
        JdbcTransaction transaction = server.log.in(host);
        AllocationId web = AllocationId.of("web");
        assertThatThrownBy(() -> transaction.allocationPlaced(web, NAMESPACE, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("nodeId");
        assertThatThrownBy(() -> transaction.requestClaims(web, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name at least one volume for allocation web");
        assertThatThrownBy(() -> transaction.requestClaims(
                        web,
                        List.of(
                                writing("data").get(0),
                                ClaimRequest.of(VOLUME, ClaimMode.READ, HostTransactions.WRITER))))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("default/data");
        assertThatThrownBy(() -> transaction.createVolume(
                        VOLUME,
                        VolumeSpec.builder(PluginId.of("unknown"))
                                .requestedCapabilities(List.of(HostTransactions.WRITER))
                                .build()))
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContainingAll("volume default/data", "unknown");
        assertThatThrownBy(() -> transaction.deleteVolume(VOLUME))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("volume default/data is not registered");
        List<ClaimRequest> large = IntStream.range(0, 30_000)
                .mapToObj(i -> writing("volume-".repeat(15) + i).get(0))
                .toList();
        assertThatThrownBy(() -> transaction.requestClaims(web, large))
                .isInstanceOf(CommandTooLargeException.class)
                .hasMessageContaining("may have at most 4194304");

        place(host, transaction, "web");
        host.commit();
        awaitAllocation(server, "web");
        assertThat(servers.query("SELECT count(*) FROM csi4j_log WHERE origin = 0"))
                .isEqualTo("1");
    }

    @Test
    void deletionOfVolumeInUseIsRefused() throws Exception {
        pluginRuns();
        AllocationId web = AllocationId.of("web");
        VolumeSpec existing =
                spec().externalVolumeId(ExternalVolumeId.of("vol-1")).build();
        server.log
                .submit(new VolumeCommand.RegisterVolume(
                        VOLUME, existing, VolumeOrigin.REGISTERED, ProviderFacts.none(), TestServers.NOW))
                .join();
        commit(server.log, host, (connection, transaction) -> transaction.allocationStarted(web, NAMESPACE, NODE));
        server.log.readRecorded().get(20, TimeUnit.SECONDS);
        assertThat(server.log
                        .submit(new ClaimCommand.TakeClaims(web, writing("data"), TestServers.NOW))
                        .join()
                        .accepted())
                .isTrue();

        host.setAutoCommit(false);
        assertThatThrownBy(() -> server.log.in(host).deleteVolume(VOLUME))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("volume default/data is in use by");
        host.commit();
        assertThat(waiting()).isZero();
    }

    @Test
    void secretsAreEncrypted() throws Exception {
        String canary = "canary-of-a-secret";
        Server encrypting = servers.start(
                "b",
                log -> log.secretsCipher(AesGcmSecretsCipher.builder()
                        .currentKey("k1", new SecretKeySpec(new byte[32], "AES"))
                        .build()));
        pluginRuns();
        encrypting.log.readLinearizable().join();
        host.setAutoCommit(false);
        VolumeSpec spec = spec().secrets(Secrets.of(Map.of("password", canary))).build();
        encrypting.log.in(host).createVolume(VOLUME, spec);
        try (var row = host.createStatement().executeQuery("SELECT subject, content FROM csi4j_submission")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("creation of volume default/data");
            assertThat(HexFormat.of().formatHex(row.getBytes(2)))
                    .doesNotContain(HexFormat.of().formatHex(canary.getBytes(StandardCharsets.UTF_8)));
        }
        host.rollback();
    }

    @Test
    void unsuitableConnectionsAreRefused() throws Exception {
        await(
                "the leader has found the database",
                () -> !servers.query("SELECT identity FROM csi4j_head").isEmpty());
        await("the server knows it", server::leads);
        assertThatThrownBy(() -> server.log.in(host))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "is in auto-commit mode, so each statement would be a transaction of its own; call"
                                + " setAutoCommit(false) first");
        host.setAutoCommit(false);
        HostTransactions.execute(host, "SET TRANSACTION READ ONLY");
        assertThatThrownBy(() -> server.log.in(host))
                .hasMessageContaining("is in a read-only transaction; begin one that may write");
        host.rollback();
        HostTransactions.execute(host, "SET LOCAL search_path = public");
        assertThatThrownBy(() -> server.log.in(host))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "leads to another database or schema than the log's: there is no table csi4j_head");
        host.rollback();

        JdbcTransaction transaction = server.log.in(host);
        host.setAutoCommit(true);
        assertThatThrownBy(() -> transaction.allocationForgotten(AllocationId.of("web")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is in auto-commit mode now");
        assertThat(waiting()).isZero();
    }

    @Test
    void connectionToAnotherLogIsRefused() throws Exception {
        await("the server leads", server::leads);
        String elsewhere = schema.name() + "_other";
        schema.server().execute("CREATE SCHEMA " + elsewhere);
        Server other = servers.start("other", log -> log.schema(elsewhere));
        try {
            await("the other server leads", other::leads);
            await(
                    "it has named its database",
                    () -> !servers.query("SELECT identity FROM " + elsewhere + ".csi4j_head")
                            .isEmpty());
            host.setAutoCommit(false);
            HostTransactions.execute(host, "SET LOCAL search_path = " + elsewhere);
            // The server knows the identity of its database when it has looked again.
            await("the connection is refused", () -> catchThrowable(() -> server.log.in(host)) != null);
            assertThatThrownBy(() -> server.log.in(host))
                    .hasMessageContainingAll("leads to another database or schema", "table=", "set schema in the");
            HostTransactions.execute(host, "UPDATE csi4j_head SET cluster = 'staging'");
            assertThatThrownBy(() -> server.log.in(host))
                    .hasMessageContaining("its tables belong to the cluster 'staging'");
        } finally {
            host.rollback();
            servers.close(other);
            schema.server().execute("DROP SCHEMA " + elsewhere + " CASCADE");
        }
    }

    @Test
    void closedLogIsRefused() throws Exception {
        server.log.close();
        host.setAutoCommit(false);
        assertThatThrownBy(() -> server.log.in(host)).isInstanceOf(LogClosedException.class);
    }

    @Test
    void failedStatementAbortsTransactionOfHost() throws Exception {
        host.setAutoCommit(false);
        JdbcTransaction transaction = server.log.in(host);
        place(host, transaction, "web");
        assertThatThrownBy(() -> HostTransactions.execute(host, "INSERT INTO job VALUES ('web')"))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> transaction.allocationForgotten(AllocationId.of("web")))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"));
        host.rollback();
        assertThat(waiting()).isZero();
    }

    /** The rights of the table in the README for the role of the host. */
    @Test
    void roleOfHostNeedsNoMoreThanReadmeSays() throws Exception {
        schema.server()
                .execute(
                        "CREATE ROLE host_role LOGIN",
                        "GRANT USAGE ON SCHEMA " + schema.name() + " TO host_role",
                        "GRANT SELECT ON " + schema.name() + ".csi4j_head TO host_role",
                        "GRANT INSERT ON " + schema.name() + ".csi4j_submission TO host_role");
        try (Connection least = schema.dataSource("host_role").getConnection()) {
            commit(
                    server.log,
                    least,
                    (connection, transaction) -> transaction.allocationPlaced(AllocationId.of("web"), NAMESPACE, NODE));
            awaitAllocation(server, "web");
            for (String right : List.of("SELECT ON csi4j_submission", "INSERT ON csi4j_log", "UPDATE ON csi4j_head")) {
                String[] parts = right.split(" ON ", -1);
                assertThat(servers.query(
                                "SELECT has_table_privilege('host_role', '" + parts[1] + "', '" + parts[0] + "')"))
                        .isEqualTo("f");
            }
            schema.server().execute("REVOKE INSERT ON " + schema.name() + ".csi4j_submission FROM host_role");
            assertThatThrownBy(() -> commit(
                            server.log,
                            least,
                            (connection, transaction) -> transaction.allocationForgotten(AllocationId.of("web"))))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("csi4j_submission");
        } finally {
            schema.server().execute("DROP OWNED BY host_role", "DROP ROLE host_role");
        }
    }
}

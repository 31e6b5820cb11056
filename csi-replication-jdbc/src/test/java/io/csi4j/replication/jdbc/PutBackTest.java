package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.TestServers.Server;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database is put back from a backup, and its state may be older than the nodes. */
@Timeout(60)
class PutBackTest {
    private PostgresServer postgres;
    private TestServers servers;

    @BeforeEach
    void start() {
        postgres = PostgresServer.start();
        servers = TestServers.in(postgres);
    }

    @AfterEach
    void stop() {
        servers.close();
        postgres.close();
    }

    /** Starts a server, and returns the ledger of the node at the moment in which the server begins to lead. */
    private NodeLedger ledgerWhenLeading() throws Exception {
        Server server = servers.start("again");
        CompletableFuture<NodeLedger> ledger = new CompletableFuture<>();
        var unused = server.log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                ledger.complete(ledger(server));
            }

            @Override
            public void stopLeading() {
                // The test waits for the beginning only.
            }
        });
        return ledger.get(20, TimeUnit.SECONDS);
    }

    static NodeLedger ledger(Server server) {
        return server.log
                .state()
                .snapshot()
                .node(NodeId.of("n-0"))
                .map(Node::ledger)
                .orElseThrow();
    }

    /** Lets a leader begin a database of its own, and write down which one. */
    static void awaitIdentity(TestServers servers) {
        await(
                "the leader has named its database",
                () -> servers.query("SELECT identity FROM csi4j_head").startsWith("system="));
    }

    static void assertStopped(Server server) {
        assertThat(server.log.failed())
                .succeedsWithin(20, TimeUnit.SECONDS)
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(LogFailedException.class)
                        .hasMessageContainingAll(
                                "The log in csi4j_* of the database was put back from an older copy",
                                "index 6",
                                "(its last index is 2)",
                                "Start all servers again"));
        await("the server leads no more", () -> !server.leads());
        assertThat(server.submit("after"))
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(LogFailedException.class);
        assertThat(server.log.readLinearizable())
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(LogFailedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void serversThatHaveAppliedMoreStopAndNextLeaderAsksNodes(boolean files) throws Exception {
        List<Server> both = servers.startAll("a", "b");
        servers.leader().submitAll("n-", 2);
        awaitIdentity(servers);
        Path backup = postgres.backup();
        servers.leader().submitAll("later-", 4);
        both.forEach(server -> await("the server has all", () -> server.has("later-3")));

        if (files) {
            postgres.restoreFiles(backup);
        } else {
            postgres.restore(backup);
        }

        both.forEach(PutBackTest::assertStopped);
        assertThat(servers.query("SELECT identity FROM csi4j_head")).isEqualTo("put back");
        both.forEach(servers::close);
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    /** The server that leads has applied no more than the backup has, and another server has. */
    @Test
    void leaderWithoutLaterEntriesAsksNodesWhenOtherServerFindsThemMissing() throws Exception {
        Server leader = servers.start("leader");
        leader.submitAll("n-", 2);
        awaitIdentity(servers);
        Server other = servers.start("other");
        Path backup = postgres.backup();
        leader.network.freeze();
        other.submitAll("later-", 4);
        assertThat(leader.has("later-0")).isFalse();

        postgres.restoreFiles(backup);
        leader.network.cutAll();
        leader.network.thaw();

        assertStopped(other);
        await("the leader asks the nodes", () -> ledger(leader).missing());
        await("the leader leads", leader::leads);
        leader.submitAll("next-", 2);
    }

    @Test
    void databaseThatWasPutBackWhileNoServerRanIsNoticedByItsTimeline() throws Exception {
        Server server = servers.start("alone");
        server.submitAll("n-", 2);
        awaitIdentity(servers);
        Path backup = postgres.backup();
        server.submitAll("later-", 4);
        servers.close(server);

        postgres.restore(backup);

        NodeLedger asked = ledgerWhenLeading();
        assertThat(asked.missing()).isTrue();
        await(
                "the new database is named",
                () -> servers.query("SELECT identity FROM csi4j_head").contains("timeline=00000002"));
        servers.close(servers.leader());
        assertThat(ledgerWhenLeading()).as("the nodes are not asked again").isEqualTo(asked);
    }

    @Test
    void nodesAreNotAskedAfterOrdinaryRestartOfAll() throws Exception {
        Server server = servers.start("alone");
        server.submitAll("n-", 2);
        awaitIdentity(servers);
        postgres.stop();
        postgres.restart();
        server.submitAll("later-", 2);
        servers.close(server);

        assertThat(ledgerWhenLeading()).isEqualTo(NodeLedger.settled());
    }
}

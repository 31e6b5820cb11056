package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static io.csi4j.replication.jdbc.HostTransactions.awaitAllocation;
import static io.csi4j.replication.jdbc.HostTransactions.commit;
import static io.csi4j.replication.jdbc.HostTransactions.has;
import static io.csi4j.replication.jdbc.HostTransactions.logged;
import static io.csi4j.replication.jdbc.HostTransactions.place;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Outcome;
import io.csi4j.postgres.CutProxy;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.internal.submit.RecordedCommands;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leader moves the commands of the host's transactions to the log: each once, in their order, whatever breaks. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class MovedCommandsTest {
    /** The beginning of the statement that moves commands. */
    private static final String MOVE = "with kept";

    private TestServers servers;
    private Connection host;

    @BeforeEach
    void open(TestSchema schema) throws SQLException {
        servers = TestServers.in(schema);
        host = servers.connect();
        HostTransactions.createTable(host);
    }

    @AfterEach
    void close() throws SQLException {
        host.close();
        servers.close();
    }

    private List<String> commitEach(JdbcCommandLog log, String prefix, int count) throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = prefix + i;
            commit(log, host, (connection, transaction) -> place(connection, transaction, id));
            ids.add(id);
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void brokenConnectionOfLeaderMovesEachCommandOnceAndInOrder(boolean executed) throws Exception {
        servers.startAll("a", "b");
        Server leader = servers.leader();
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            CutProxy network = leader.network;
            CompletableFuture<Void> broken = executed ? network.cutAnswerOf(MOVE) : network.cutBefore(MOVE);
            expected.addAll(commitEach(leader.log, "r" + round + "-", 10));
            leader.submitAll("beside-" + round + "-", 5);
            assertThat(broken).succeedsWithin(20, TimeUnit.SECONDS);
        }
        awaitAllocation(leader, "r2-9");
        assertThat(logged(servers)).containsExactlyElementsOf(expected);
        assertThat(servers.values("SELECT id FROM csi4j_submission")).isEmpty();
        servers.assertEqualStates();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leaderThatCrashesInMoveLosesNoCommandAndDoublesNone(boolean executed) throws Exception {
        servers.startAll("a", "b");
        Server leader = servers.leader();
        Server next = servers.followersOf(leader).get(0);
        CutProxy network = leader.network;
        CompletableFuture<Void> crashed =
                (executed ? network.cutAnswerOf(MOVE) : network.cutBefore(MOVE)).thenRun(leader::crash);
        List<String> expected = commitEach(next.log, "web-", 10);
        assertThat(crashed).succeedsWithin(20, TimeUnit.SECONDS);
        expected.addAll(commitEach(next.log, "later-", 3));

        await("the next server leads", next::leads);
        awaitAllocation(next, "later-2");
        assertThat(logged(servers)).containsExactlyElementsOf(expected);
        assertThat(servers.values("SELECT id FROM csi4j_submission")).isEmpty();
        servers.close(leader);
    }

    /** A process that stands still between reading the commands and moving them wakes up under another leader. */
    @Test
    void pausedLeaderMovesNothingUnderNextLeader() throws Exception {
        servers.startAll("a", "b");
        Server leader = servers.leader();
        Server next = servers.followersOf(leader).get(0);
        CutProxy.Hold hold = leader.network.holdBefore(MOVE);
        List<String> expected = commitEach(next.log, "web-", 3);
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        leader.network.freeze();
        await("the next server leads", next::leads);
        awaitAllocation(next, "web-2");
        leader.network.thaw();
        hold.release();
        expected.addAll(commitEach(leader.log, "later-", 3));

        awaitAllocation(next, "later-2");
        assertThat(logged(servers)).containsExactlyElementsOf(expected);
        servers.assertEqualStates();
    }

    @Test
    void backlogMovesInLimitedPartsBetweenWhichOtherCommandsGo() throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        int backlog = 5 * RecordedCommands.MOST_COMMANDS;
        CompletableFuture<Outcome> beside;
        try (Connection session = servers.connect()) {
            session.setAutoCommit(false);
            HostTransactions.execute(session, "SELECT * FROM csi4j_head FOR UPDATE");
            commit(server.log, host, (connection, transaction) -> {
                for (int i = 0; i < backlog; i++) {
                    place(connection, transaction, "web-" + i);
                }
            });
            await(
                    "the leader waits with the first part",
                    () -> !servers.query(
                                    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'WITH kept%'")
                            .isEmpty());
            beside = server.submit("beside");
            session.rollback();
        }
        assertThat(beside).succeedsWithin(20, TimeUnit.SECONDS);
        awaitAllocation(server, "web-" + (backlog - 1));
        assertThat(servers.query("SELECT count(*) FROM csi4j_log WHERE origin = 0 AND idx <"
                        + " (SELECT idx FROM csi4j_log WHERE origin <> 0)"))
                .isEqualTo(Integer.toString(RecordedCommands.MOST_COMMANDS));
        assertThat(logged(servers)).hasSize(backlog).doesNotHaveDuplicates();
    }

    @Test
    void commandsOfBeforeSnapshotAreNotMovedAgainAndWaitingOnesAreTakenAfterRestart() throws Exception {
        Server first = servers.start("first");
        await("the server leads", first::leads);
        List<String> expected = commitEach(first.log, "before-", 5);
        awaitAllocation(first, "before-4");
        assertThat(first.log.takeSnapshot()).succeedsWithin(20, TimeUnit.SECONDS);
        first.network.refuse(true);
        first.network.cutAll();
        commitEach(first.log, "waits-", 5);
        servers.close(first);
        servers.execute("UPDATE csi4j_head SET first_index = last_index + 1", "DELETE FROM csi4j_log");

        Server again = servers.start("again");
        awaitAllocation(again, "waits-4");
        expected.forEach(id -> assertThat(has(again.log, id)).as(id).isTrue());
        assertThat(logged(servers)).containsExactly("waits-0", "waits-1", "waits-2", "waits-3", "waits-4");
        assertThat(servers.values("SELECT id FROM csi4j_submission")).isEmpty();
    }

    /** An operator removes a command after the leader has read it. */
    @Test
    void removedCommandIsNotMovedAndTheOthersAre() throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        CutProxy.Hold hold = server.network.holdBefore(MOVE);
        commit(server.log, host, (connection, transaction) -> {
            for (String id : List.of("first", "removed", "last")) {
                place(connection, transaction, id);
            }
        });
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        servers.execute("DELETE FROM csi4j_submission WHERE subject LIKE '%removed%'");
        hold.release();
        awaitAllocation(server, "last");
        assertThat(logged(servers)).containsExactly("first", "last");
    }

    /** The host looks for its own row, and finds the commands exactly if it finds the row. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commandsAreThereIfRowOfHostIsThereWhenAnswerOfCommitIsLost(boolean executed) throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        CutProxy network = server.network;
        try (Connection lost = servers.connect(server)) {
            lost.setAutoCommit(false);
            place(lost, server.log.in(lost), "web");
            CompletableFuture<Void> broken = executed
                    ? network.cutAnswerOf("commit", "with recorded")
                    : network.cutBefore("commit", "with recorded");
            assertThatThrownBy(lost::commit).isInstanceOf(SQLException.class);
            assertThat(broken).succeedsWithin(20, TimeUnit.SECONDS);
        }
        boolean row = servers.values("SELECT id FROM job").contains("web");
        assertThat(row).isEqualTo(executed);
        commit(server.log, host, (connection, transaction) -> place(connection, transaction, "later"));
        awaitAllocation(server, "later");
        assertThat(has(server.log, "web")).isEqualTo(executed);
    }
}

package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.postgres.CutProxy;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Servers that are cut off, closed, or slow to stop lead one after the other. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class LeaseTest {
    private TestServers servers;

    @BeforeEach
    void open(TestSchema schema) {
        servers = TestServers.in(schema);
    }

    @AfterEach
    void close() {
        servers.close();
        servers.times.assertOneAfterTheOther();
    }

    @Test
    void leaderOnFrozenNetworkStopsBeforeNextOneBegins() throws Exception {
        servers.startAll("a", "b", "c");
        Server first = servers.leader();
        first.network.freeze();
        await("another engine acts", () -> servers.times.count() == 2);
        Server next = TestServers.leaderOf(servers.followersOf(first));
        next.submitAll("next-", 3);
        first.network.thaw();
        await("the former leader follows", () -> first.has("next-2"));
        assertThat(first.leads()).isFalse();
        servers.times.assertOneAfterTheOther();
    }

    /** Its transaction holds the row of the lease, which the next leader has to change. */
    @Test
    void serverThatFallsSilentWhileItTakesLeaseIsPassedOver() throws Exception {
        Server first = servers.start("a");
        await("the server leads", first::leads);
        Server silent = servers.start("b");
        CutProxy.Hold hold = silent.network.holdBefore("update csi4j_head set term");
        first.crash();
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        silent.network.freeze();
        Server next = servers.start("c");

        await("another server leads", next::leads);
        next.submitAll("next-", 3);
        silent.network.cutAll();
        silent.network.thaw();
        hold.release();

        await("the silent server follows", () -> silent.has("next-2"));
        assertThat(silent.leads()).isFalse();
        servers.times.assertOneAfterTheOther();
    }

    @Test
    void closedLeaderGivesLeaseBack() throws Exception {
        servers.startAll("a", "b");
        Server first = servers.leader();
        String before = servers.query("SELECT term FROM csi4j_lease");

        servers.close(first);

        // A crashed leader stays in the row.
        assertThat(servers.query(
                        "SELECT holder FROM csi4j_lease WHERE term = " + before + " AND leader = '" + first.name + "'"))
                .isEmpty();
        await("the other engine acts", () -> servers.times.count() == 2);
    }

    @Test
    void crashedLeaderIsReplaced() throws Exception {
        servers.startAll("a", "b");
        Server first = servers.leader();
        Server next = servers.followersOf(first).get(0);

        first.crash();
        await("the other server leads", next::leads);

        next.submitAll("next-", 3);
        assertThat(first.leads()).isFalse();
    }

    @Test
    void sessionThatHoldsRowOfServerDoesNotEndItsLeadership() throws Exception {
        Server server = servers.start("a");
        await("the server leads", server::leads);
        try (var connection = servers.connect();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT * FROM csi4j_server FOR UPDATE");
            long renewals = Long.parseLong(servers.query("SELECT renewals FROM csi4j_lease"));
            String seen = servers.query("SELECT seen_at FROM csi4j_server");
            // The server stores its progress at every tenth renewal.
            await(
                    "the lease is renewed",
                    () -> Long.parseLong(servers.query("SELECT renewals FROM csi4j_lease")) >= renewals + 21);
            assertThat(servers.query("SELECT seen_at FROM csi4j_server")).isEqualTo(seen);
            connection.rollback();
        }
        assertThat(servers.query("SELECT term FROM csi4j_lease")).isEqualTo("1");
    }

    @Test
    void rowOfServerComesBackAfterItWasRemoved() throws Exception {
        Server server = servers.start("a");
        await("the server leads", server::leads);

        servers.execute("DELETE FROM csi4j_server");

        await(
                "the server has a row",
                () -> servers.query("SELECT name FROM csi4j_server").equals("a"));
        assertThat(servers.query("SELECT term FROM csi4j_lease")).isEqualTo("1");
    }
}

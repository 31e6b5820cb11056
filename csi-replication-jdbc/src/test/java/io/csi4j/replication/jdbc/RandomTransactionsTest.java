package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static io.csi4j.replication.jdbc.HostTransactions.logged;
import static io.csi4j.replication.jdbc.HostTransactions.place;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hosts commit, roll back and lose connections, while the leader crashes: the rows of the hosts and the allocations are the same
 * in the end.
 */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class RandomTransactionsTest {
    private static final int HOSTS = 3;
    private static final int TRANSACTIONS = 100;

    private final long seed = Long.getLong("csi4j.seed", 39);
    private TestServers servers;

    @BeforeEach
    void open(TestSchema schema) throws SQLException {
        servers = TestServers.in(schema);
        try (Connection connection = servers.connect()) {
            HostTransactions.createTable(connection);
        }
    }

    @AfterEach
    void close() {
        servers.close();
    }

    /** Runs transactions one after the other. A transaction whose commit has failed may have been committed. */
    private void run(int host, JdbcCommandLog log) {
        Random random = new Random(seed * HOSTS + host);
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection connection = servers.connect()) {
                connection.setAutoCommit(false);
                JdbcTransaction transaction = log.in(connection);
                int commands = 1 + random.nextInt(4);
                for (int j = 0; j < commands; j++) {
                    place(connection, transaction, "h" + host + "-" + (1_000 + i) + "-" + j);
                }
                int end = random.nextInt(4);
                if (end == 0) {
                    connection.rollback();
                } else if (end == 1) {
                    connection.abort(Runnable::run);
                } else {
                    connection.commit();
                }
            } catch (SQLException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void rowsOfHostsAndAllocationsAgreeAfterCrashOfLeader() throws Exception {
        Server first = servers.start("first");
        await("the first server leads", first::leads);
        Server stays = servers.start("stays");
        List<CompletableFuture<Void>> hosts = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            int number = host;
            hosts.add(CompletableFuture.runAsync(() -> run(number, stays.log)));
        }
        await("a part was moved", () -> logged(servers).size() > 20);
        assertThat(first.network.endWithAnswerOf("with kept", "")).succeedsWithin(20, TimeUnit.SECONDS);
        servers.close(first);
        servers.start("later");
        for (CompletableFuture<Void> host : hosts) {
            host.get(50, TimeUnit.SECONDS);
        }
        servers.leader();
        stays.log.readRecorded().get(20, TimeUnit.SECONDS);

        List<String> rows = servers.values("SELECT id FROM job ORDER BY id");
        assertThat(rows).hasSizeGreaterThan(HOSTS * TRANSACTIONS / 2);
        assertThat(StreamSupport.stream(
                                stays.log.state().snapshot().allocations().spliterator(), false)
                        .map(Allocation::id)
                        .map(Object::toString))
                .as("seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(rows);
        List<String> moved = logged(servers);
        assertThat(moved).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(rows);
        for (int host = 0; host < HOSTS; host++) {
            String prefix = "h" + host + "-";
            assertThat(moved.stream().filter(id -> id.startsWith(prefix)))
                    .as("seed %d, in the order of the transactions of host %d", seed, host)
                    .isSorted();
        }
    }
}

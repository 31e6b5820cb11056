package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session of the host holds a row of the log, and is idle in its transaction. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class HeldRowsTest {
    private static final JdbcLogOptions SHORT_STATEMENTS = JdbcLogOptions.builder()
            .lease(Duration.ofSeconds(4))
            .submitTimeout(Duration.ofSeconds(20))
            .statementTimeout(Duration.ofSeconds(1))
            .build();

    private TestServers servers;
    private Warnings warnings;

    @BeforeEach
    void open(TestSchema schema) {
        servers = TestServers.in(schema, log -> log.options(SHORT_STATEMENTS));
        warnings = new Warnings();
    }

    @AfterEach
    void close() {
        warnings.close();
        servers.close();
    }

    private String waitingSince() {
        return servers.query("SELECT query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND query LIKE '%UPDATE csi4j_lease%'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"csi4j_head", "csi4j_lease"})
    void sessionIsNamedAndEverythingContinuesAfterItsEnd(String table) throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        server.submitAll("before-", 2);
        try (Connection session = servers.connect();
                Statement statement = session.createStatement()) {
            statement.execute("SET application_name = 'report-job'");
            String pid;
            try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                pid = row.getString(1);
            }
            session.setAutoCommit(false);
            statement.execute("SELECT * FROM " + table + " FOR UPDATE");

            CompletableFuture<Outcome> waits = server.submit("meanwhile");
            warnings.await(
                    "The database of the log fails: ",
                    "session " + pid + " of postgres (report-job, idle in transaction, in a transaction since ",
                    "End that transaction");
            if (table.equals("csi4j_head")) {
                assertThat(waits).isNotDone();
                assertThat(server.leads()).isTrue();
            } else {
                assertThat(waits).succeedsWithin(20, TimeUnit.SECONDS);
                await("the server leads no more", () -> !server.leads());
                server.submitAll("without-lease-", 10);
                String attempt = waitingSince();
                await(
                        "the next attempt for the lease",
                        () -> !waitingSince().isEmpty() && !waitingSince().equals(attempt));
                assertThat(warnings.lines())
                        .filteredOn(line -> line.contains("report-job"))
                        .hasSize(1);
            }
            session.rollback();
            assertThat(waits).succeedsWithin(20, TimeUnit.SECONDS);
        }
        await("the server leads", server::leads);
        server.submitAll("after-", 2);
        assertThat(servers.logged()).containsOnlyOnce("meanwhile");
    }

    /** As another server of the cluster does while the row is held. */
    @Test
    void sessionThatWaitsItselfIsNotNamed() throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        try (Connection holder = servers.connect();
                Statement holds = holder.createStatement();
                Connection waiter = servers.connect();
                Statement waits = waiter.createStatement()) {
            holds.execute("SET application_name = 'report-job'");
            holder.setAutoCommit(false);
            holds.execute("SELECT * FROM csi4j_head FOR UPDATE");
            waits.execute("SET application_name = 'other-server'");
            waiter.setAutoCommit(false);
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> update(waits));
            await(
                    "the other one waits",
                    () -> !servers.query("SELECT pid FROM pg_stat_activity WHERE"
                                    + " wait_event_type = 'Lock' AND application_name = 'other-server'")
                            .isEmpty());
            CompletableFuture<Outcome> meanwhile = server.submit("meanwhile");
            warnings.await("The database of the log fails: ", "(report-job, ", "End that transaction");
            assertThat(warnings.lines()).noneMatch(line -> line.contains("other-server"));
            holder.rollback();
            assertThat(waiting).succeedsWithin(20, TimeUnit.SECONDS);
            waiter.rollback();
            assertThat(meanwhile).succeedsWithin(20, TimeUnit.SECONDS);
        }
    }

    private static boolean update(Statement statement) {
        try {
            return statement.execute("UPDATE csi4j_head SET last_index = last_index");
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }
}

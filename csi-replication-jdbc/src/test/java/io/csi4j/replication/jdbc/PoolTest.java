package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.command.Outcome;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;

/** The connections of the host: their number, their settings, and the database to which they lead. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class PoolTest {
    @Test
    void serverWaitsForConnectionsThatHostHolds(TestSchema schema) throws Exception {
        try (TestServers servers = TestServers.in(schema);
                Warnings warnings = new Warnings()) {
            Server server = servers.start("alone");
            await("the server leads", server::leads);
            server.submitAll("before-", 2);
            List<Connection> held = new ArrayList<>();
            // The listening connection is not given back.
            while (held.size() < server.pool.getMaximumPoolSize() - 1) {
                held.add(server.pool.getConnection());
            }

            CompletableFuture<Outcome> waits = server.submit("meanwhile");
            warnings.await("The pool gave no connection");
            assertThat(waits).isNotDone();
            for (Connection connection : held) {
                connection.close();
            }

            assertThat(waits).succeedsWithin(20, TimeUnit.SECONDS);
            await("the server leads", server::leads);
            assertThat(servers.logged()).containsOnlyOnce("meanwhile");
        }
    }

    @Test
    void isolationThatHostHasChosenDoesNotMatter(TestSchema schema) throws Exception {
        PGSimpleDataSource source = schema.dataSource();
        source.setOptions("-c default_transaction_isolation=serializable");
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        // As frameworks that begin each transaction by themselves.
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (JdbcCommandLog a = Logs.builder(pool, "a").start();
                    JdbcCommandLog b = Logs.builder(pool, "b").start()) {
                List<CompletableFuture<Outcome>> answers = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    answers.add(a.submit(TestServers.node("a-" + i)));
                    answers.add(b.submit(TestServers.node("b-" + i)));
                }
                for (CompletableFuture<Outcome> answer : answers) {
                    assertThat(answer).succeedsWithin(20, TimeUnit.SECONDS);
                }
                assertThat(a.takeSnapshot()).succeedsWithin(20, TimeUnit.SECONDS);
                await("one leads", () -> a.status().leading() || b.status().leading());
            }
        }
    }

    @Test
    void serverOfOtherClusterIsRefused(TestSchema schema) throws Exception {
        try (JdbcCommandLog first =
                Logs.builder(schema.dataSource(), "a").cluster("blue").start()) {
            assertThatThrownBy(() -> Logs.builder(schema.dataSource(), "b")
                            .cluster("green")
                            .start())
                    .isInstanceOf(DatabaseUnusableException.class)
                    .hasMessageContainingAll(
                            "The tables csi4j_* belong to the cluster 'blue', and this server is of 'green'",
                            "Give each cluster a schema or a prefix of its own");
            assertThat(first.submit(TestServers.node("n"))).succeedsWithin(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void commitsThatCrashWouldLoseAreRefused(TestSchema schema) {
        PGSimpleDataSource source = schema.dataSource();
        source.setOptions("-c synchronous_commit=off");
        assertThatThrownBy(() -> Logs.builder(source, "a").start())
                .isInstanceOf(DatabaseUnusableException.class)
                .hasMessageContainingAll("a crash loses them", "SET synchronous_commit = on");
    }

    @Test
    void replicaIsRefused(TestSchema schema) throws Exception {
        Logs.builder(schema.dataSource(), "a").start().close();
        try (PostgresServer standby = schema.server().standby()) {
            PGSimpleDataSource source = standby.dataSource();
            source.setCurrentSchema(schema.name());
            assertThatThrownBy(() -> Logs.builder(source, "b").start())
                    .isInstanceOf(DatabaseUnusableException.class)
                    .hasMessageContainingAll("The server is a replica", "targetServerType=primary");
        }
    }
}

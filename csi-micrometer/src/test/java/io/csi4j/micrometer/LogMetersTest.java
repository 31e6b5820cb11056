package io.csi4j.micrometer;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.Environment;
import io.csi4j.postgres.CutProxy;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of logs in a real database, of two servers that reach it through networks of their own. */
@Timeout(60)
class LogMetersTest {
    private final PostgresServer postgres = PostgresServer.start();
    private final Environment environment = Environment.system();
    private final List<Server> open = new ArrayList<>();
    private Server a;

    private final class Server implements AutoCloseable {
        final SimpleMeterRegistry registry = new SimpleMeterRegistry();
        final CsiMeters meters = CsiMeters.of(registry);
        final CutProxy network;
        final HikariDataSource pool;
        final JdbcCommandLog log;

        Server(String name) throws IOException {
            network = new CutProxy(postgres);
            pool = postgres.pool(postgres.dataSource("postgres", network.port()), 4);
            pool.setValidationTimeout(250);
            pool.setConnectionTimeout(500);
            log = JdbcCommandLog.builder(pool)
                    .server(name)
                    .createTables()
                    .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                    .options(JdbcLogOptions.builder()
                            .lease(Duration.ofSeconds(2))
                            .build())
                    .start();
            meters.observe(log, environment, Duration.ofMillis(20));
            open.add(this);
        }

        void submit(int nodes) {
            for (int i = 0; i < nodes; i++) {
                assertThat(log.submit(new NodeCommand.UpsertNode(NodeId.of("n" + i), Instant.EPOCH)))
                        .succeedsWithin(Duration.ofSeconds(20));
            }
        }

        double value(CsiMeter meter, String... tags) {
            Search found = registry.find(meter.meterName()).tags(tags);
            return found.meter() == null
                    ? Double.NaN
                    : StreamSupport.stream(found.meter().measure().spliterator(), false)
                            .findFirst()
                            .orElseThrow()
                            .getValue();
        }

        @Override
        public void close() {
            meters.close();
            network.thaw();
            network.refuse(false);
            log.close();
            pool.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        a = new Server("a");
        await("the server leads", () -> a.log.status().leading());
    }

    @AfterEach
    void close() throws IOException {
        for (Server server : open) {
            server.close();
            server.network.close();
        }
        environment.close();
        postgres.close();
    }

    @Test
    void commitsAndRowsAndSnapshotAreMeasured() {
        a.submit(5);
        assertThat(a.value(CsiMeter.LOG_COMMIT, "result", "committed")).isBetween(1.0, 5.0);
        assertThat(a.registry
                        .get("csi4j.log.commit")
                        .tag("result", "committed")
                        .timer()
                        .totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
        assertThat(a.value(CsiMeter.LOG_COMMIT, "result", "failed")).isZero();
        String rows = String.valueOf(postgres.query("SELECT count(*) FROM csi4j_log"));
        await("the entries are shown", () -> a.value(CsiMeter.LOG_ENTRIES) == Double.parseDouble(rows));
        assertThat(a.value(CsiMeter.LOG_SNAPSHOT_INDEX)).isZero();

        long index = a.log.takeSnapshot().join();

        String bytes = String.valueOf(postgres.query("SELECT bytes FROM csi4j_snapshot"));
        await("the snapshot is shown", () -> a.value(CsiMeter.LOG_SNAPSHOT_INDEX) == index);
        await("its size is shown", () -> a.value(CsiMeter.LOG_SNAPSHOT_BYTES) == Double.parseDouble(bytes));
        await("its age grows", () -> a.value(CsiMeter.LOG_SNAPSHOT_AGE) > 0.3);
    }

    @Test
    void serverThatIsCutOffFallsBehindAndSilentAndItsMetersEndWithItsRow() throws IOException {
        Server b = new Server("b");
        a.submit(3);
        await("b has applied all", () -> b.value(CsiMeter.LOG_LAG, "server", "b") == 0);
        await("a sees b up to date", () -> a.value(CsiMeter.LOG_LAG, "server", "b") == 0);
        double entries = Double.parseDouble(String.valueOf(postgres.query("SELECT count(*) FROM csi4j_log")));

        b.network.freeze();
        a.submit(10);

        await("a sees b behind", () -> a.value(CsiMeter.LOG_LAG, "server", "b") >= 10);
        assertThat(a.value(CsiMeter.LOG_LAG, "server", "a")).isZero();
        await("b is silent", () -> a.value(CsiMeter.LOG_SILENCE, "server", "b") > 3);
        assertThat(a.value(CsiMeter.LOG_SILENCE, "server", "a")).isLessThan(3);
        await("all entries are shown", () -> a.value(CsiMeter.LOG_ENTRIES) == entries + 10);

        postgres.execute("DELETE FROM csi4j_server WHERE name = 'b'");
        await(
                "no meter has b",
                () -> a.registry
                                .find("csi4j.log.lag")
                                .tag("server", "b")
                                .meters()
                                .isEmpty()
                        && a.registry
                                .find("csi4j.log.silence")
                                .tag("server", "b")
                                .meters()
                                .isEmpty());
    }

    @Test
    void leaseAndTermFollowLeadership() throws IOException {
        Server b = new Server("b");
        double term = a.value(CsiMeter.LOG_TERM);
        assertThat(term).isPositive();
        assertThat(b.value(CsiMeter.LOG_LEASE_AGE)).isZero();

        a.network.freeze();
        await("the lease of a gets old", () -> a.value(CsiMeter.LOG_LEASE_AGE) > 1);
        await(
                "b leads",
                () -> b.value(CsiMeter.LOG_TERM) > term && b.log.status().leading());
        await("the lease of b is young", () -> b.value(CsiMeter.LOG_LEASE_AGE) > 0);
        a.network.thaw();
        await("a has no lease", () -> a.value(CsiMeter.LOG_LEASE_AGE) == 0);
        assertThat(a.value(CsiMeter.LOG_TERM)).isEqualTo(b.value(CsiMeter.LOG_TERM));
    }

    /** The network is frozen until the meters were read. */
    @Test
    void troubleIsCountedAndMetersAreReadWithoutDatabase() {
        assertThat(a.value(CsiMeter.LOG_TROUBLE)).isZero();
        CutProxy.Hold append = a.network.holdBefore("with moved");
        var waits = a.log.submit(new NodeCommand.UpsertNode(NodeId.of("late"), Instant.EPOCH));
        assertThat(append.reached()).succeedsWithin(Duration.ofSeconds(20));
        a.network.freeze();

        await("the trouble is shown", () -> a.value(CsiMeter.LOG_TROUBLE) == 1);
        for (Meter meter : a.registry.getMeters()) {
            assertThat(meter.measure()).as("%s", meter.getId()).isNotEmpty();
        }
        assertThat(waits).isNotDone();
        assertThat(a.value(CsiMeter.LOG_WAITING_BYTES)).isPositive();
        assertThat(a.value(CsiMeter.LOG_FAILURES)).isPositive();
        assertThat(a.log.status().details().trouble()).hasValueSatisfying(trouble -> {
            assertThat(trouble.message()).startsWith("the database of the log fails: ");
            assertThat(trouble.remedy()).endsWith(".");
        });

        // Cut while it is frozen, so that the append which waits fails for certain.
        a.network.cutAll();
        append.release();
        a.network.thaw();
        assertThat(waits).succeedsWithin(Duration.ofSeconds(20));
        await("the trouble is over", () -> a.value(CsiMeter.LOG_TROUBLE) == 0);
        await("nothing waits", () -> a.value(CsiMeter.LOG_WAITING_BYTES) == 0);
        assertThat(a.value(CsiMeter.LOG_COMMIT, "result", "failed")).isPositive();
    }
}

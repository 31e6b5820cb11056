package io.csi4j.benchmarks.database;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Measures the log in a PostgreSQL on this machine, as ratios to what a bare program does with the same database: commands
 * per second, one command, the start from a snapshot, the fail-over, and the statements of an idle server.
 */
public final class DatabaseBenchmark {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final PluginId PLUGIN = PluginId.of("csi.example.com");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final List<String> PARTS = List.of("commands", "snapshot", "failover", "idle");
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int IN_FLIGHT = 1_024;
    private static final StateStoreOptions READABLE = StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build();
    /** Until then the JVM compiles code on the same processors. */
    private static final int WARM_UP = 3;

    private static final Duration IDLE = Duration.ofSeconds(30);
    /** After this time, the sessions that have started a server have reported their transactions. */
    private static final Duration SETTLES = Duration.ofSeconds(12);

    private final PostgresServer postgres;
    private final HikariDataSource pool;
    private final int commands;
    private final int rounds;
    private final int volumes;

    private DatabaseBenchmark(PostgresServer postgres, int commands, int rounds, int volumes) {
        this.postgres = postgres;
        this.pool = postgres.pool(postgres.dataSource(), 20);
        this.commands = commands;
        this.rounds = rounds;
        this.volumes = volumes;
    }

    /**
     * Runs all measurements.
     *
     * @param args {@code --commands N}, {@code --rounds N}, {@code --volumes N}, and {@code --only} with one of
     *     {@code commands}, {@code snapshot}, {@code failover}, {@code idle}
     */
    public static void main(String[] args) throws Exception {
        // The pool sends an empty query before it gives a connection that was not used for so long.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "" + TimeUnit.HOURS.toMillis(1));
        List<String> given = Arrays.asList(args);
        try (PostgresServer postgres = PostgresServer.builder()
                .onDisk()
                .setting("shared_buffers", "256MB")
                .start()) {
            DatabaseBenchmark benchmark = new DatabaseBenchmark(
                    postgres,
                    number(given, "--commands", 20_000),
                    number(given, "--rounds", 3),
                    number(given, "--volumes", 100_000));
            int only = given.indexOf("--only");
            for (String part : only < 0 ? PARTS : List.of(given.get(only + 1))) {
                switch (part) {
                    case "commands" -> benchmark.commands();
                    case "snapshot" -> benchmark.snapshot();
                    case "failover" -> benchmark.failOver();
                    case "idle" -> benchmark.idle(JdbcLogOptions.ofDefaults());
                    default -> throw new IllegalArgumentException("--only " + part + "; give one of " + PARTS);
                }
            }
        }
    }

    private static int number(List<String> args, String name, int otherwise) {
        int at = args.indexOf(name);
        return at < 0 ? otherwise : Integer.parseInt(args.get(at + 1));
    }

    private JdbcCommandLog log(String server, String prefix) throws IOException {
        return log(server, prefix, JdbcLogOptions.builder().lease(LEASE).build());
    }

    private JdbcCommandLog log(String server, String prefix, JdbcLogOptions options) throws IOException {
        return log(pool, server, prefix, options);
    }

    private static JdbcCommandLog log(DataSource pool, String server, String prefix, JdbcLogOptions options)
            throws IOException {
        return JdbcCommandLog.builder(pool)
                .server(server)
                .tablePrefix(prefix)
                .createTables()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .options(options)
                .start();
    }

    private static CompletableFuture<Void> leads(JdbcCommandLog log) {
        CompletableFuture<Void> leads = new CompletableFuture<>();
        Runnable unused = log.onLeadership(new LeadershipListener() {
            @Override
            public void startLeading() {
                leads.complete(null);
            }

            @Override
            public void stopLeading() {
                // Waits for the beginning.
            }
        });
        return leads;
    }

    private static Command command(int number) {
        return new AllocationCommand.UpsertAllocation(
                AllocationId.of("web-" + number % 1_000),
                NAMESPACE,
                NODE,
                Optional.empty(),
                number / 1_000 % 2 == 0 ? AllocationStatus.PENDING : AllocationStatus.RUNNING,
                Instant.EPOCH.plusMillis(number));
    }

    private void commands() throws Exception {
        int bytes = CommandCodec.of(READABLE).encodeCommand(command(1_234)).length;
        BareRows bare = new BareRows(pool, bytes);
        try (JdbcCommandLog log = log("alone", "commands_")) {
            leads(log).join();
            List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
            Runnable unused = log.onCommit(commit -> batches.add(commit.commands()));
            System.out.println(
                    "## Commands\n\n| round | commands/s | rows/s of a bare program, in the same batches | ratio |"
                            + " one command, p50 | bare transaction of a row, p50 | ratio | bare statement of a row that"
                            + " commits by itself, p50 | ratio |\n|---|---|---|---|---|---|---|---|---|");
            for (int round = -WARM_UP; round < rounds; round++) {
                batches.clear();
                double perSecond = throughput(log);
                List<Integer> written = List.copyOf(batches);
                double rowsPerSecond = rows(bare, written);
                double[] one = medians(i -> log.submit(command(i)).join(), i -> bare.insert(1), i -> bare.insert());
                if (round >= 0) {
                    System.out.printf(
                            "| %d | %.0f | %.0f, %d batches | %.2f | %.0f µs | %.0f µs | %.2f | %.0f µs | %.2f |%n",
                            round + 1,
                            perSecond,
                            rowsPerSecond,
                            written.size(),
                            perSecond / rowsPerSecond,
                            one[0],
                            one[1],
                            one[0] / one[1],
                            one[2],
                            one[0] / one[2]);
                }
            }
        }
    }

    private double throughput(JdbcCommandLog log) throws InterruptedException {
        Semaphore free = new Semaphore(IN_FLIGHT);
        long begin = System.nanoTime();
        for (int i = 0; i < commands; i++) {
            free.acquire();
            var unused = log.submit(command(i)).whenComplete((outcome, failure) -> free.release());
        }
        free.acquire(IN_FLIGHT);
        return commands / seconds(begin);
    }

    /** Inserts as many rows as commands, in the batches of the commands. */
    private double rows(BareRows bare, List<Integer> batches) throws SQLException {
        long begin = System.nanoTime();
        for (int batch : batches) {
            bare.insert(batch);
        }
        return commands / seconds(begin);
    }

    /** Something that is measured alone. */
    private interface Single {
        void run(int number) throws SQLException;
    }

    /** Measures several things in turns, so that other programs disturb all of them alike. */
    private static double[] medians(Single... singles) throws SQLException {
        long[][] nanos = new long[singles.length][1_000];
        for (int i = 0; i < nanos[0].length; i++) {
            for (int j = 0; j < singles.length; j++) {
                long begin = System.nanoTime();
                singles[j].run(i);
                nanos[j][i] = System.nanoTime() - begin;
            }
        }
        return Arrays.stream(nanos)
                .mapToDouble(each -> Arrays.stream(each).sorted().toArray()[each.length / 2] / 1_000.0)
                .toArray();
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** Returns the transactions of a database until now. */
    private long transactions(String database) {
        postgres.execute("SELECT pg_stat_force_next_flush()");
        return Long.parseLong(String.valueOf(postgres.query(
                "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '" + database + "'")));
    }

    private void snapshot() throws Exception {
        try (JdbcCommandLog log = log("alone", "snapshot_")) {
            Semaphore free = new Semaphore(IN_FLIGHT);
            for (int i = 0; i < volumes; i++) {
                free.acquire();
                var unused = log.submit(new VolumeCommand.RegisterVolume(
                                VolumeKey.of("default", "volume-" + i),
                                VolumeSpec.builder(PLUGIN)
                                        .externalVolumeId(ExternalVolumeId.of("vol-" + i))
                                        .requestedCapabilities(List.of(WRITER))
                                        .build(),
                                VolumeOrigin.REGISTERED,
                                ProviderFacts.none(),
                                Instant.EPOCH))
                        .whenComplete((outcome, failure) -> free.release());
            }
            free.acquire(IN_FLIGHT);
            long unused = log.takeSnapshot().join();
        }
        System.out.printf(
                "%n## Size%n%n| | rows | bytes of the table on the disk for each row, with the index and the room of removed rows | bytes of the content |%n|---|---|---|---|%n");
        size("commands that register a volume", "snapshot_log", "content");
        size("commands that change an allocation", "commands_log", "content");
        size("chunks of the snapshot of " + volumes + " volumes", "snapshot_snapshot_chunk", "content");
        System.out.printf(
                "%n## Start from a snapshot of %d volumes%n%n| round | start | reading the same bytes into a state | ratio |%n|---|---|---|---|%n",
                volumes);
        for (int round = 0; round <= rounds; round++) {
            long begin = System.nanoTime();
            double start;
            try (JdbcCommandLog log = log("alone", "snapshot_")) {
                start = seconds(begin);
                if (log.state()
                        .snapshot()
                        .volume(VolumeKey.of("default", "volume-7"))
                        .isEmpty()) {
                    throw new IllegalStateException("the snapshot lacks a volume");
                }
            }
            double read = read();
            if (round > 0) {
                System.out.printf("| %d | %.2f s | %.2f s | %.2f |%n", round, start, read, start / read);
            }
        }
    }

    private void size(String name, String table, String column) {
        if (postgres.query("SELECT to_regclass('" + table + "')") == null) {
            return;
        }
        System.out.println("| " + name + " | "
                + postgres.query("SELECT count(*) || ' | ' || pg_total_relation_size('" + table
                        + "') / greatest(1, count(*)) || ' | ' || coalesce(avg(octet_length(" + column
                        + "))::bigint, 0) FROM " + table)
                + " |");
    }

    /** Reads the rows of the snapshot, and makes a state of them. */
    private double read() throws SQLException, IOException {
        long begin = System.nanoTime();
        List<InputStream> chunks = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT content FROM snapshot_snapshot_chunk ORDER BY idx, chunk");
                ResultSet rows = select.executeQuery();
                StateStore store = StateStore.inMemory(READABLE)) {
            while (rows.next()) {
                chunks.add(new ByteArrayInputStream(rows.getBytes(1)));
            }
            long unused = store.restore(new SequenceInputStream(Collections.enumeration(chunks)));
            return seconds(begin);
        }
    }

    /** A leader whose connections end; another server takes over. */
    private void failOver() throws Exception {
        System.out.printf(
                "%n## Fail-over, lease %d s%n%n| round | until the next server leads | ratio |%n|---|---|---|%n",
                LEASE.toSeconds());
        for (int round = 1; round <= rounds; round++) {
            String prefix = "failover" + round + "_";
            HikariDataSource lost = postgres.pool(postgres.dataSource(), 6);
            JdbcCommandLog first = JdbcCommandLog.builder(lost)
                    .server("first")
                    .tablePrefix(prefix)
                    .createTables()
                    .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                    .options(JdbcLogOptions.builder().lease(LEASE).build())
                    .start();
            leads(first).join();
            try (JdbcCommandLog second = log("second", prefix)) {
                CompletableFuture<Void> leads = leads(second);
                long begin = System.nanoTime();
                lost.close();
                leads.join();
                double took = seconds(begin);
                System.out.printf("| %d | %.2f s | %.2f |%n", round, took, took / LEASE.toSeconds());
            }
            first.close();
        }
    }

    /** Counts the transactions of servers that have nothing to do, in a database that only they use. */
    private void idle(JdbcLogOptions options) throws Exception {
        // The workers of autovacuum make transactions, too.
        postgres.execute("CREATE DATABASE idle", "ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()");
        PGSimpleDataSource source = postgres.dataSource();
        source.setDatabaseName("idle");
        HikariDataSource idle = postgres.pool(source, 20);
        try (JdbcCommandLog leader = log(idle, "leader", "idle_", options)) {
            leads(leader).join();
            double without = transactionsPerSecond();
            try (JdbcCommandLog follower = log(idle, "follower", "idle_", options)) {
                long index = follower.status().appliedIndex();
                double with = transactionsPerSecond();
                if (follower.status().appliedIndex() != index
                        || !leader.status().leading()) {
                    throw new IllegalStateException("the servers were not idle");
                }
                System.out.printf(
                        "%n## Idle%n%nTransactions a second: %.2f of a leader, %.2f of a follower. A pool that tests its connections"
                                + " before use adds an empty one to each.%n",
                        without, with - without);
            }
        }
    }

    private double transactionsPerSecond() {
        pause(SETTLES);
        long before = transactions("idle");
        pause(IDLE);
        return (transactions("idle") - before) / (double) IDLE.toSeconds();
    }

    private static void pause(Duration time) {
        new CompletableFuture<Void>()
                .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}

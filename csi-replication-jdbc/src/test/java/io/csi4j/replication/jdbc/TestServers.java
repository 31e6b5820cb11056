package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand.UpsertNode;
import io.csi4j.postgres.CutProxy;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.postgresql.ds.PGSimpleDataSource;

/** Servers on one PostgreSQL, each with a network and a pool of its own. The commands create nodes. */
final class TestServers implements AutoCloseable {
    static final Instant NOW = Instant.parse("2026-11-25T00:00:00Z");

    /** Commands and snapshots that show everything in clear text. */
    static final StateStoreOptions READABLE = StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build();

    private static final Logger POOLS = Logger.getLogger("com.zaxxer.hikari");

    static {
        // The pools report each broken connection.
        POOLS.setLevel(Level.SEVERE);
    }

    final ActingTimes times = new ActingTimes();
    private final PostgresServer postgres;
    private final PGSimpleDataSource source;
    private final UnaryOperator<JdbcCommandLogBuilder> settings;
    private final List<Server> open = new CopyOnWriteArrayList<>();

    private TestServers(
            PostgresServer postgres, PGSimpleDataSource source, UnaryOperator<JdbcCommandLogBuilder> settings) {
        this.postgres = postgres;
        this.source = source;
        this.settings = settings;
    }

    /** Servers in a schema of a PostgreSQL that other tests use. */
    static TestServers in(TestSchema schema, UnaryOperator<JdbcCommandLogBuilder> settings) {
        return new TestServers(schema.server(), schema.dataSource(), settings);
    }

    static TestServers in(TestSchema schema) {
        return in(schema, UnaryOperator.identity());
    }

    /** Servers in the first schema of a PostgreSQL. */
    static TestServers in(PostgresServer postgres) {
        return new TestServers(postgres, postgres.dataSource(), UnaryOperator.identity());
    }

    /** A running server. */
    static final class Server {
        final String name;
        final CutProxy network;
        final HikariDataSource pool;
        final JdbcCommandLog log;

        Server(String name, CutProxy network, HikariDataSource pool, JdbcCommandLog log) {
            this.name = name;
            this.network = network;
            this.pool = pool;
            this.log = log;
        }

        boolean leads() {
            return log.status().leading();
        }

        CompletableFuture<Outcome> submit(String node) {
            return log.submit(node(node));
        }

        /** Submits commands at the same time, and waits for their outcomes. */
        void submitAll(String prefix, int count) {
            CompletableFuture.allOf(IntStream.range(0, count)
                            .mapToObj(i -> submit(prefix + i))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }

        boolean has(String node) {
            return log.state().snapshot().node(NodeId.of(node)).isPresent();
        }

        /** The process ends: nothing of it reaches the database any more. */
        void crash() {
            network.refuse(true);
            network.cutAll();
        }

        String state() {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                long unused = log.state().encode(bytes);
                return HexFormat.of().formatHex(bytes.toByteArray());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static UpsertNode node(String name) {
        return new UpsertNode(NodeId.of(name), NOW);
    }

    /** Starts a server, which reaches the database through a network of its own. */
    Server start(String name) throws IOException {
        return start(name, UnaryOperator.identity());
    }

    Server start(String name, UnaryOperator<JdbcCommandLogBuilder> more) throws IOException {
        CutProxy network = new CutProxy(postgres);
        PGSimpleDataSource through = postgres.dataSource(source.getUser(), network.port());
        through.setCurrentSchema(source.getCurrentSchema());
        through.setOptions(source.getOptions());
        HikariDataSource pool = postgres.pool(through, 4);
        pool.setValidationTimeout(250);
        pool.setConnectionTimeout(500);
        try {
            JdbcCommandLog log =
                    more.apply(settings.apply(Logs.builder(pool, name))).start();
            Server server = new Server(name, network, pool, log);
            log.onLeadership(times.listener());
            open.add(server);
            return server;
        } catch (IOException | RuntimeException e) {
            pool.close();
            network.close();
            throw e;
        }
    }

    List<Server> startAll(String... names) throws IOException {
        List<Server> all = new ArrayList<>();
        for (String name : names) {
            all.add(start(name));
        }
        return all;
    }

    List<Server> open() {
        return List.copyOf(open);
    }

    /** Waits until exactly one of the open servers leads. */
    Server leader() {
        return leaderOf(open);
    }

    static Server leaderOf(List<Server> servers) {
        await("one leader", () -> servers.stream().filter(Server::leads).count() == 1);
        return servers.stream().filter(Server::leads).findFirst().orElseGet(() -> leaderOf(servers));
    }

    /** Returns the open servers without one. */
    List<Server> followersOf(Server leader) {
        return open.stream().filter(server -> server != leader).toList();
    }

    /** Closes a server in order, or after a crash. */
    void close(Server server) {
        open.remove(server);
        server.log.close();
        server.pool.close();
        try {
            server.network.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until all servers have applied the same entries, and checks that their states are equal. */
    void assertEqualStates() {
        open.forEach(server -> server.log.readLinearizable().join());
        String first = open.get(0).state();
        for (Server server : open) {
            assertThat(server.state().equals(first))
                    .as("the states of %s and %s are equal", open.get(0).name, server.name)
                    .isTrue();
        }
    }

    /** Returns the first value of a query in the schema of the servers. */
    String query(String sql) {
        List<String> values = values(sql);
        return values.isEmpty() ? "" : values.get(0);
    }

    List<String> values(String sql) {
        List<String> values = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(String.valueOf(rows.getString(1)));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    void execute(String... statements) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    Connection connect() throws SQLException {
        return source.getConnection();
    }

    /** Connects through the network of a server. */
    Connection connect(Server server) throws SQLException {
        PGSimpleDataSource through = postgres.dataSource(source.getUser(), server.network.port());
        through.setCurrentSchema(source.getCurrentSchema());
        return through.getConnection();
    }

    /** Returns the names of the nodes that the entries of the log create, in the order of the log. */
    List<String> logged() {
        CommandCodec codec = CommandCodec.of(READABLE);
        List<String> names = new ArrayList<>();
        for (String content : values("SELECT encode(content, 'hex') FROM csi4j_log ORDER BY idx")) {
            if (codec.decodeCommand(HexFormat.of().parseHex(content)) instanceof UpsertNode created) {
                names.add(created.nodeId().value());
            }
        }
        return names;
    }

    @Override
    public void close() {
        // The networks may be broken, and a lease is then given back in vain.
        open.parallelStream().forEach(server -> {
            server.network.thaw();
            server.log.close();
        });
        open.forEach(this::close);
    }
}

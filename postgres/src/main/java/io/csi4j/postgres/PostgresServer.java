package io.csi4j.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL of its own process on a port of the loopback address, which keeps its port and its data when it stops or
 * is killed. The superuser is {@code postgres}, and no role needs a password. Where PostgreSQL cannot run, the test is
 * skipped.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Logger POOL_LOG = Logger.getLogger("com.zaxxer.hikari");
    private static final int FILL = 1 << 16;

    static {
        POOL_LOG.setLevel(Level.WARNING);
    }

    private final PostgresBinaries binaries;
    private final Path directory;
    private final @Nullable Path disk;
    private final Map<String, String> settings;
    private final int port;
    private final boolean keeps;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final Thread cleanUp = new Thread(this::cleanUp, "postgres-clean-up");
    private @Nullable PostgresProcess process;
    private int backups;

    private PostgresServer(
            PostgresBinaries binaries,
            Path directory,
            @Nullable Path disk,
            Map<String, String> settings,
            int port,
            boolean keeps) {
        this.binaries = binaries;
        this.directory = directory;
        this.disk = disk;
        this.settings = settings;
        this.port = port == 0 ? freePort() : port;
        this.keeps = keeps;
        Runtime.getRuntime().addShutdownHook(cleanUp);
    }

    /** Starts the newest supported version with the settings of a host that changes none. */
    public static PostgresServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The version, the settings and the disk of a server. */
    public static final class Builder {
        private final Map<String, String> settings = new LinkedHashMap<>();
        private boolean oldest;
        private boolean onDisk;
        private int diskMegabytes;
        private @Nullable Path kept;
        private int port;

        private Builder() {}

        /** Takes the oldest supported version. */
        public Builder oldest() {
            this.oldest = true;
            return this;
        }

        /** Sets a value of postgresql.conf, for example {@code max_connections}. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Keeps the data on the disk of the build, for measurements; other servers keep it in memory where that is possible. */
        public Builder onDisk() {
            this.onDisk = true;
            return this;
        }

        /** Gives the server a disk of its own that can be full. It needs at least 48 MB. Skips the test without root. */
        public Builder disk(int megabytes) {
            this.diskMegabytes = megabytes;
            return this;
        }

        /**
         * Keeps the data in a directory of the caller, which {@link #close} leaves there. A later server in the same directory
         * continues with its data. The user of the server has to be able to enter the directory that it is in.
         */
        public Builder in(Path directory) {
            this.kept = directory;
            return this;
        }

        /** Sets the port; without it, the server takes a free one. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        public PostgresServer start() {
            PostgresBinaries binaries = oldest ? PostgresBinaries.oldest() : PostgresBinaries.newest();
            PostgresServer server = kept == null
                    ? create(binaries, settings, onDisk, diskMegabytes, port)
                    : keeping(binaries, settings, kept, port);
            if (Files.notExists(server.data())) {
                Programs.copy(binaries.template(), server.data());
            }
            server.restart();
            return server;
        }
    }

    private static PostgresServer keeping(
            PostgresBinaries binaries, Map<String, String> settings, Path directory, int port) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Programs.run("chmod", "a+rx", directory.toString());
        return new PostgresServer(binaries, directory, null, settings, port, true);
    }

    private static PostgresServer create(
            PostgresBinaries binaries, Map<String, String> settings, boolean onDisk, int diskMegabytes, int port) {
        Path directory = PostgresBinaries.newServer(onDisk);
        if (diskMegabytes == 0) {
            Programs.run("chmod", "a+rx", directory.toString());
            return new PostgresServer(binaries, directory, null, settings, port, false);
        }
        assumeTrue(Programs.root(), "needs root");
        Path disk = directory.resolve("disk");
        Programs.run("chmod", "a+rx", directory.toString());
        Programs.run("mkdir", disk.toString());
        boolean mounted = Programs.succeeds(
                "mount", "-t", "tmpfs", "-o", "size=" + diskMegabytes + "m", "tmpfs", disk.toString());
        assumeTrue(mounted, "needs the right to mount");
        return new PostgresServer(binaries, directory, disk, settings, port, false);
    }

    private Path data() {
        return (disk == null ? directory : disk).resolve("data");
    }

    /** Returns a port that is free, of those which the system gives to no connection by itself. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException used) {
                // The next one may be free.
            }
        }
    }

    public int port() {
        return port;
    }

    /** Returns everything that the server has logged. */
    public String output() {
        return Programs.text(directory.resolve("log"));
    }

    /** Returns whether the server runs, also if it is paused. */
    public boolean alive() {
        return process != null && process.alive();
    }

    /** Starts a stopped or killed server. */
    public void restart() {
        if (alive()) {
            throw new IllegalStateException("PostgreSQL runs");
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("port", Integer.toString(port));
        all.put("unix_socket_directories", "");
        all.put("dynamic_shared_memory_type", "mmap");
        all.put("shared_buffers", "16MB");
        all.put("wal_keep_size", "32MB");
        all.putAll(settings);
        process = PostgresProcess.start(binaries.program("postgres"), directory, data(), all, keeps);
    }

    /** Changes a value of postgresql.conf for the next start. */
    public void set(String name, String value) {
        settings.put(name, value);
    }

    private PostgresProcess running() {
        if (process == null) {
            throw new IllegalStateException("PostgreSQL was not started");
        }
        return process;
    }

    /** Stops the server; it first writes all data to its files, and ends the connections. */
    public void stop() {
        running().stop();
    }

    /** Kills all processes of the server. */
    public void kill() {
        running().kill();
    }

    /** Stops all processes of the server where they are, as a machine that hangs. */
    public void pause() {
        running().pause();
    }

    /** Lets paused processes continue. */
    public void resume() {
        running().resume();
    }

    /** Returns connections of the superuser. */
    public PGSimpleDataSource dataSource() {
        return dataSource("postgres", port);
    }

    /** Returns connections of a role. */
    public PGSimpleDataSource dataSource(String role) {
        return dataSource(role, port);
    }

    /** Returns connections of a role through another port, for example that of a {@link CutProxy}. */
    public PGSimpleDataSource dataSource(String role, int throughPort) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {throughPort});
        source.setDatabaseName("postgres");
        source.setUser(role);
        source.setSslmode("disable");
        return source;
    }

    /** Returns a pool over connections; the server closes it. */
    public HikariDataSource pool(DataSource source, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /** Runs statements as the superuser, in a transaction of its own each. */
    public void execute(String... statements) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the first value of a query of the superuser; null if there is none. */
    public @Nullable String query(String sql) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Creates a role that may connect, without any other right. */
    public void createRole(String name) {
        execute("CREATE ROLE " + name + " LOGIN");
    }

    /** Copies the data of the running server, as a program for backups does, and returns the directory of the copy. */
    public Path backup() {
        boolean old = Integer.parseInt(query("SHOW server_version_num")) < 150000;
        backups++;
        Path backup = directory.resolve("backup-" + backups);
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    old ? "SELECT pg_start_backup('test', true, false)" : "SELECT pg_backup_start('test', true)");
            Programs.copyChanging(data(), backup);
            String label;
            try (ResultSet end = statement.executeQuery(
                    old ? "SELECT labelfile FROM pg_stop_backup(false)" : "SELECT labelfile FROM pg_backup_stop()")) {
                end.next();
                label = end.getString(1);
            }
            Programs.copyChanging(data().resolve("pg_wal").resolve("."), backup.resolve("pg_wal"));
            Files.delete(backup.resolve("postmaster.pid"));
            Files.writeString(backup.resolve("backup_label"), label);
            Programs.giveToServer(backup);
            return backup;
        } catch (SQLException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Replaces the data by a backup, as an operator restores a database: PostgreSQL begins a new timeline. */
    public void restore(Path backup) {
        set("restore_command", "false");
        replaceData(backup);
        createFile(data().resolve("recovery.signal"));
        restart();
        Conditions.await("recovery has ended", () -> "f".equals(query("SELECT pg_is_in_recovery()")));
    }

    /** Replaces the data by a backup as if the server had crashed then; no timeline begins. */
    public void restoreFiles(Path backup) {
        replaceData(backup);
        restart();
    }

    private void replaceData(Path backup) {
        if (running().alive()) {
            stop();
        }
        Programs.delete(data());
        Programs.copy(backup, data());
    }

    private static void createFile(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Programs.giveToServer(file);
    }

    /** Starts a replica that follows this server. */
    public PostgresServer standby() {
        PostgresServer standby = create(binaries, new LinkedHashMap<>(settings), false, 0, 0);
        Path backup = backup();
        Programs.copy(backup, standby.data());
        createFile(standby.data().resolve("standby.signal"));
        standby.set("primary_conninfo", "host=127.0.0.1 port=" + port + " user=postgres sslmode=disable");
        standby.restart();
        return standby;
    }

    /** Makes a replica a server of its own. */
    public void promote() {
        execute("SELECT pg_promote()");
    }

    /** Fills the disk, so that nothing more can be written. */
    public void fillDisk() {
        byte[] block = new byte[FILL];
        try (OutputStream file = Files.newOutputStream(filler())) {
            while (true) {
                file.write(block);
            }
        } catch (IOException full) {
            // The disk has no more room.
        }
    }

    /** Undoes {@link #fillDisk}. */
    public void freeDisk() {
        try {
            Files.delete(filler());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path filler() {
        if (disk == null) {
            throw new IllegalStateException("the server has no disk of its own");
        }
        return disk.resolve("filler");
    }

    /** Ends the server and deletes its data. */
    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        Runtime.getRuntime().removeShutdownHook(cleanUp);
        cleanUp();
    }

    private void cleanUp() {
        if (process != null && process.alive()) {
            process.abort();
        }
        if (disk != null) {
            Programs.run("umount", disk.toString());
        }
        if (!keeps) {
            Programs.delete(directory);
        }
    }
}

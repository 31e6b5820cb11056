package io.csi4j.simulation.internal.database;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.LogUnderTest.RunningLog;
import io.csi4j.simulation.internal.server.LogSite;
import io.csi4j.simulation.internal.world.PortDecorator.DatabaseRules;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A model of csi-replication-jdbc: three servers on one database, of which the one with the lease leads. Whether a
 * leader acts is decided by the real code.
 */
public final class DatabaseLog implements RunningLog {
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final Duration FAULTS = Duration.ofSeconds(25);
    private static final Duration RESTART = Duration.ofSeconds(20);
    private static final Duration LONGEST_CUT = DatabaseServer.LEASE.multipliedBy(2);
    private static final Duration LONGEST_PAUSE = DatabaseServer.LEASE.multipliedBy(3);
    private static final Duration LONGEST_STOP = DatabaseServer.LEASE;
    /** The time after the last fault in which a leader may still lose its lease because of that fault. */
    public static final Duration RECOVERY = DatabaseServer.LEASE.multipliedBy(2);

    private static final int MAX_CRASH_POINT = 20;

    /** The faults that begin at a moment; the others are of single transactions. */
    private static final List<DatabaseFault> EVENTS = List.of(
            DatabaseFault.SERVERS_CUT_OFF,
            DatabaseFault.LEADERS_PAUSED,
            DatabaseFault.SERVERS_CRASH,
            DatabaseFault.DATABASE_STOPS);

    private final LogSite site;
    private final List<DatabaseFault> events;
    private final DatabaseRules rules;
    private final SplittableRandom random;
    private final Tables tables;
    private final Database database;
    private final TreeMap<String, DatabaseServer> servers = new TreeMap<>();
    private final List<StateStore> stores = new ArrayList<>();
    private long hostNumber;

    /**
     * Starts the servers.
     *
     * @param faults the faults of this seed
     */
    public DatabaseLog(LogSite site, Set<DatabaseFault> faults, DatabaseRules rules) {
        this.site = site;
        this.rules = rules;
        this.random = site.random();
        this.events = EVENTS.stream().filter(faults::contains).toList();
        this.tables = new Tables(site, rules);
        this.database = new Database(site, faults, random.split());
        NAMES.forEach(this::start);
        site.after(upTo(FAULTS), this::fail);
    }

    private Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    private void start(String name) {
        DatabaseServer former = servers.get(name);
        if (former != null && former.server().alive()) {
            return;
        }
        LogSite.Server server = site.newServer();
        StateStore store = StateStore.create(StateStoreOptions.builder()
                .watchExecutor(server.process())
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build());
        stores.add(store);
        long applied = tables.head().lastIndex();
        if (applied > 0) {
            restore(store);
        }
        servers.put(
                name,
                new DatabaseServer(name, site, database, tables, rules, random.nextLong() | 1, server, store, applied));
    }

    /** A server starts from a snapshot. */
    private void restore(StateStore store) {
        try {
            store.restore(new ByteArrayInputStream(encoded(site.world().store())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- Faults.

    private void fail() {
        if (!site.faults() || events.isEmpty()) {
            return;
        }
        site.after(upTo(FAULTS), this::fail);
        DatabaseServer any = Objects.requireNonNull(servers.get(NAMES.get(random.nextInt(NAMES.size()))));
        DatabaseServer leader = leaders().findFirst().orElse(any);
        switch (events.get(random.nextInt(events.size()))) {
            case SERVERS_CUT_OFF -> cutOff(random.nextInt(3) == 0 ? any : leader);
            case LEADERS_PAUSED -> pause(leader);
            case SERVERS_CRASH -> crash(random.nextInt(3) == 0 ? any : leader);
            case DATABASE_STOPS -> {
                note("database stopped");
                database.stop();
                site.after(upTo(LONGEST_STOP), database::start);
            }
            default -> throw new IllegalStateException();
        }
    }

    private Stream<DatabaseServer> leaders() {
        return servers.values().stream().filter(DatabaseServer::acts);
    }

    private void note(String fault) {
        site.world().coverage().fault(fault);
        site.note(fault);
    }

    private void cutOff(DatabaseServer server) {
        note("server cut off from the database");
        database.reach(server.name(), false);
        site.after(upTo(LONGEST_CUT), () -> database.reach(server.name(), true));
    }

    private void pause(DatabaseServer leader) {
        if (!leader.acts() || leader.server().process().paused()) {
            return;
        }
        note("leader paused");
        leader.server().process().pause();
        site.after(upTo(LONGEST_PAUSE), leader.server().process()::wake);
    }

    private void crash(DatabaseServer server) {
        if (!server.server().alive()) {
            return;
        }
        if (random.nextBoolean()) {
            note("server crash");
            server.server().crash();
            site.after(upTo(RESTART), () -> start(server.name()));
        } else {
            server.server().crashAt(1 + random.nextInt(MAX_CRASH_POINT), random.nextBoolean(), () -> {
                note("server crash at a write or call");
                site.after(upTo(RESTART), () -> start(server.name()));
            });
        }
    }

    @Override
    public void settle() {
        database.settle();
        for (String name : NAMES) {
            start(name);
        }
        for (DatabaseServer server : servers.values()) {
            server.server().process().wake();
            server.server().process().cancelCrash();
        }
    }

    // --- Commands of the host, and the comparison at the end.

    @Override
    public Outcome submit(Command command) {
        database.freeHead();
        hostNumber++;
        long before = tables.head().lastIndex();
        tables.append(List.of(new Tables.Entry(0, 0, hostNumber, command)), before, 0);
        return tables.outcome(before + 1);
    }

    @Override
    public void compare(ObservableState state) {
        byte[] expected = encoded((StateStore) state);
        for (DatabaseServer server : servers.values()) {
            server.finish();
            if (!Arrays.equals(expected, encoded(server.store()))) {
                site.violation("I9: the state of server " + server.name() + " differs");
            }
        }
    }

    private static byte[] encoded(StateStore store) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            store.encode(bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stores.forEach(StateStore::close);
    }
}

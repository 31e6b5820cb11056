package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.internal.replication.LeaderTerm;
import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.Head;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.Overview;
import io.csi4j.replication.jdbc.internal.db.SubmissionTable;
import io.csi4j.replication.jdbc.internal.lead.LeaseThread;
import io.csi4j.replication.jdbc.internal.schema.Dialect;
import io.csi4j.replication.jdbc.internal.schema.Schema;
import io.csi4j.replication.jdbc.internal.state.AppliedLog;
import io.csi4j.replication.jdbc.internal.state.PutBackException;
import io.csi4j.replication.jdbc.internal.submit.RecordedCommands;
import io.csi4j.replication.jdbc.internal.submit.Submitter;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A running log: creates its parts and connects them. */
public final class LogProcess implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LogProcess.class.getName());
    private static final int ATTEMPTS_AT_START = 10;
    private static final Duration CLOSES = Duration.ofSeconds(10);

    private final LogSettings settings;
    private final Environment environment;
    private final String place;
    private final StateStore store;
    private final CommandCodec codec;
    private final LogTables tables;
    private final Database database;
    private final AppliedLog applied;
    private final Leadership leadership;
    private final LeaderTerm term;
    private final Submitter submitter;
    private final LogThread logThread;
    private final HostCommands hostCommands;
    private final LeaseThread leaseThread;
    private final Snapshots snapshots;
    private final @Nullable PostgresNotifications notifications;
    private final long holder;
    private final CompletableFuture<LogFailedException> failed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean completing = new AtomicBoolean();
    private final DatabaseHealth health;
    private final CommitListeners commits = new CommitListeners();
    private volatile @Nullable Seen seen;
    private volatile @Nullable KnownLeader leader;

    /** The tables as this server has last seen them, and the elapsed time of that. */
    private record Seen(Overview overview, long at) {}

    /** The leader that this server has last seen, and the time of that. */
    private record KnownLeader(Head.Lease lease, Instant since) {}

    private LogProcess(LogSettings settings, Environment environment, Prepared prepared) {
        this.settings = settings;
        this.environment = environment;
        this.place = settings.names + "* of the database";
        this.store = StateStore.create(settings.state);
        this.codec = CommandCodec.of(settings.state);
        this.holder = environment.random().nextLong() | 1;
        this.tables = new LogTables(settings.names, prepared.dialect(), settings.options.statementTimeout());
        SubmissionTable submissions =
                new SubmissionTable(settings.names, prepared.dialect(), settings.options.statementTimeout());
        this.database = new Database(settings.pool, prepared.dialect(), settings.options.statementTimeout());
        this.applied = new AppliedLog(database, tables, store, codec, place, this::applied, this::restored);
        this.leadership = new Leadership(environment.executor());
        this.health = new DatabaseHealth(environment.timer());
        Duration lease = settings.options.lease();
        this.term = new LeaderTerm(
                environment.timer(), leadership, lease.multipliedBy(4).dividedBy(5));
        this.logThread = new LogThread(
                database,
                tables,
                applied,
                new RecordedCommands(database, submissions, codec, environment.timer(), environment.clock(), place),
                holder,
                term::acting,
                environment.timer(),
                new LogEvents());
        this.hostCommands =
                new HostCommands(settings, environment, submissions, codec, store, this::read, logThread::move);
        this.submitter = new Submitter(codec, logThread::add, term::acting, environment, settings.options);
        Duration third = lease.dividedBy(3);
        Duration statement = settings.options.statementTimeout();
        Duration timeout = third.compareTo(statement) < 0 ? third : statement;
        this.leaseThread = new LeaseThread(
                new Database(settings.pool, prepared.dialect(), timeout),
                new LogTables(settings.names, prepared.dialect(), timeout),
                environment.timer(),
                term,
                new LeaseThread.Self(settings.server, holder, version()),
                settings.options.period(),
                lease,
                applied::index,
                new LeaseEvents());
        this.snapshots =
                new Snapshots(database, tables, store, settings.options.snapshotInterval(), logThread::capture);
        this.notifications = prepared.announces()
                ? new PostgresNotifications(
                        settings.pool,
                        settings.names.channel(),
                        Long.toString(holder),
                        environment.timer(),
                        logThread::wake,
                        logThread::move)
                : null;
    }

    private static String version() {
        return Optional.ofNullable(LogProcess.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    /**
     * Starts a log: checks the tables, and applies all entries that are there.
     *
     * @throws IOException if the database cannot be reached
     */
    public static LogProcess start(LogSettings settings) throws IOException {
        Environment environment = settings.environment == null ? Environment.system() : settings.environment;
        LogProcess process = null;
        try {
            process = new LogProcess(settings, environment, prepared(settings));
            process.begin();
            return process;
        } catch (SQLException e) {
            abandon(settings, environment, process);
            throw new IOException(
                    "JdbcCommandLog: the database of the log cannot be used: " + DatabaseTrouble.reason(e) + ". "
                            + DatabaseTrouble.of(e, List.of()).text(),
                    e);
        } catch (PutBackException e) {
            abandon(settings, environment, process);
            throw new LogFailedException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            abandon(settings, environment, process);
            throw e;
        }
    }

    /** The database after its check. */
    private record Prepared(Dialect dialect, boolean announces) {}

    private static Prepared prepared(LogSettings settings) throws SQLException {
        for (int attempts = 1; ; attempts++) {
            try {
                return checked(settings);
            } catch (SQLException e) {
                // A pool may still have connections from before a restart of the database.
                if (attempts == ATTEMPTS_AT_START
                        || !DatabaseTrouble.of(e, List.of()).cause().equals("connection")) {
                    throw e;
                }
            }
        }
    }

    private static Prepared checked(LogSettings settings) throws SQLException {
        Schema schema = new Schema(settings.names, settings.cluster);
        try (Connection connection = settings.pool.getConnection()) {
            if (settings.createTables) {
                schema.create(connection);
            } else {
                schema.createRows(connection);
            }
            schema.check(connection);
            Dialect dialect = Dialect.of(connection);
            return new Prepared(dialect, dialect.announces() && PostgresNotifications.possible(connection));
        }
    }

    private static void abandon(LogSettings settings, Environment environment, @Nullable LogProcess process) {
        if (process != null) {
            process.store.close();
        }
        if (settings.environment == null) {
            environment.close();
        }
    }

    private void begin() throws SQLException {
        Head unused = applied.catchUp();
        snapshots.startFrom(database.transaction(tables::latestSnapshot));
        tables.seen(database, new LogTables.Progress(settings.server, holder, applied.index(), version()));
        new LeaseEvents().found(tables.overview(database, null, 0, holder));
        LOG.log(
                System.Logger.Level.INFO,
                () -> "The log in " + place + " has started as server " + settings.server + " of " + settings.cluster
                        + " with " + applied.index() + " entries");
        logThread.start();
        leaseThread.start();
        if (notifications != null) {
            notifications.start();
        }
    }

    public StateStore store() {
        return store;
    }

    public CompletableFuture<Outcome> submit(Command command) {
        return submitter.submit(command);
    }

    /**
     * Returns the recording of commands in a transaction of the host.
     *
     * @throws IllegalArgumentException if the connection cannot record commands of this log
     */
    public HostCommands host(Connection connection) throws SQLException {
        if (closing.get()) {
            throw new LogClosedException("JdbcCommandLog");
        }
        if (failed.isDone()) {
            throw failed.join();
        }
        Seen now = Objects.requireNonNull(seen, "the tables were read at the start");
        hostCommands.check(connection, now.overview().head().identity());
        return hostCommands;
    }

    /** Returns the state as soon as this server has applied all entries that were committed before the call. */
    public CompletableFuture<StateReader> readLinearizable() {
        return read().thenApplyAsync(now -> store.snapshot(), environment.executor());
    }

    /**
     * Returns the state as soon as this server has applied all commands that transactions of the host had recorded when
     * they were committed before the call.
     */
    public CompletableFuture<StateReader> readRecorded() {
        return hostCommands.moved().thenApplyAsync(done -> store.snapshot(), environment.executor());
    }

    private CompletableFuture<Head> read() {
        CompletableFuture<Head> answer = new CompletableFuture<>();
        var unused = logThread
                .read()
                .orTimeout(settings.options.submitTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((now, failure) -> {
                    if (failure == null) {
                        answer.complete(now);
                    } else {
                        answer.completeExceptionally(unread(failure));
                    }
                });
        return answer;
    }

    private RuntimeException unread(Throwable failure) {
        if (failed.isDone()) {
            return failed.join();
        }
        return closing.get()
                ? new LogClosedException("JdbcCommandLog")
                : new UnansweredCommandException(
                        "JdbcCommandLog: the database did not answer within "
                                + Durations.text(settings.options.submitTimeout()) + "; read again when it does",
                        failure);
    }

    public boolean mayAct() {
        return term.mayAct();
    }

    public Runnable onLeadership(LeadershipListener listener) {
        leadership.add(listener);
        return () -> leadership.remove(listener);
    }

    public CompletableFuture<Long> takeSnapshot() {
        return failed.isDone() ? CompletableFuture.failedFuture(failed.join()) : snapshots.take();
    }

    public Runnable onCommit(Consumer<LogCommit> listener) {
        return commits.add(listener);
    }

    /** Returns the role and the progress of this server. */
    public LogStatus status() {
        Seen now = Objects.requireNonNull(seen, "the tables were read at the start");
        Overview overview = now.overview();
        boolean leading = leadership.leading();
        // The row of a leader that has stopped without the database still has its name.
        Optional<KnownLeader> known = Optional.ofNullable(leader)
                .filter(latest -> leading || latest.lease().holder() != holder);
        // The index of the state may be one further, because readers see the state of a command first.
        long index = Math.max(applied.index(), store.snapshot().index());
        long last = Math.max(overview.head().lastIndex(), index);
        return new LogStatus(
                settings.server,
                leading,
                known.map(latest -> latest.lease().leader()),
                known.map(KnownLeader::since),
                overview.head().lease().term(),
                last,
                last,
                index,
                Math.max(
                        snapshots.latest(),
                        overview.snapshot().map(Overview.Snapshot::index).orElse(0L)),
                overview.servers().stream().map(Overview.Server::name).toList(),
                details(overview, Duration.ofNanos(environment.timer().nanoTime() - now.at()), index));
    }

    /** Returns the figures that the tables had a time ago, with those of this server of now. */
    private LogDetails details(Overview overview, Duration ago, long index) {
        return new LogDetails(
                OptionalLong.of(overview.head().firstIndex()),
                overview.snapshot()
                        .map(latest -> new LogDetails.Snapshot(
                                latest.index(),
                                latest.bytes(),
                                Optional.of(latest.age().plus(ago)))),
                overview.servers().stream()
                        .map(server -> new LogDetails.Server(
                                server.name(),
                                OptionalLong.of(server.name().equals(settings.server) ? index : server.applied()),
                                Optional.of(server.silent().plus(ago)),
                                Optional.of(server.version())))
                        .toList(),
                term.leaseAge(),
                health.trouble(),
                health.failures(),
                submitter.pending().commands(),
                submitter.pending().bytes());
    }

    public CompletableFuture<LogFailedException> failed() {
        return failed.copy();
    }

    private void applied(Entry entry, Outcome outcome) {
        logThread.applied(entry, outcome);
        if (snapshots.due(entry.index()) && leadership.leading()) {
            snapshots.begin(applied.capture());
        }
    }

    private void restored() {
        logThread.restored();
    }

    /** This server has the lease: lets it lead when its state is complete. */
    private void complete(long taken, boolean suspect) {
        if (closing.get() || !completing.compareAndSet(false, true)) {
            return;
        }
        var unused = logThread
                .read()
                .thenCompose(now -> suspect ? requireLedgers(taken) : CompletableFuture.completedFuture(null))
                .whenComplete((done, failure) -> {
                    completing.set(false);
                    if (failure == null) {
                        term.completed(taken);
                    }
                });
    }

    private CompletableFuture<@Nullable Object> requireLedgers(long taken) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The log is in another database than before: it was put back from a copy, or a replica has taken its place."
                        + " Until each node has said what it has mounted, no volume is detached from it and none is newly"
                        + " claimed. Report the nodes that are fenced or gone, and all running allocations");
        Command command = new NodeCommand.RequireLedgers(
                "the log is in another database than before",
                environment.clock().instant());
        return submitter.submit(command, taken).thenApply(outcome -> {
            leaseThread.reported();
            return null;
        });
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        term.end();
        boolean quiet = leadership.awaitNotified(CLOSES);
        submitter.end(
                new UnansweredCommandException(
                        "JdbcCommandLog: the log was closed before the command had its outcome; it may have been applied,"
                                + " or may still be. Submit it again at another server, or after a restart",
                        null),
                new LogClosedException("JdbcCommandLog"));
        leaseThread.close(CLOSES);
        logThread.close(CLOSES);
        if (quiet && !failed.isDone()) {
            release(term.held());
        }
        snapshots.close(CLOSES);
        if (notifications != null) {
            notifications.close(CLOSES);
        }
        LOG.log(
                System.Logger.Level.INFO,
                () -> "The log in " + place + " has stopped with " + applied.index() + " entries in its state");
        store.close();
        if (settings.environment == null) {
            environment.close();
        }
    }

    /** Gives the lease back, so that another server need not wait for its end. */
    private void release(long held) {
        if (held == 0) {
            return;
        }
        try {
            database.transaction(connection -> {
                tables.release(connection, held, holder);
                return held;
            });
        } catch (SQLException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The lease of the leader was not given back: " + e.getMessage()
                            + ". Another server leads when it has ended");
        }
    }

    private void fail(Throwable reason) {
        if (reason instanceof PutBackException) {
            suspectForAll();
        }
        LogFailedException failure = reason instanceof LogFailedException known
                ? known
                : new LogFailedException(
                        reason instanceof PutBackException
                                ? String.valueOf(reason.getMessage())
                                : "The log in " + place + " has stopped because of a defect: " + reason
                                        + ". Report it, and start the server again",
                        reason);
        if (closing.get() || !failed.complete(failure)) {
            return;
        }
        LOG.log(System.Logger.Level.ERROR, "This server has stopped permanently: " + failure.getMessage());
        term.end();
        submitter.end(failure, failure);
        logThread.stop();
        leaseThread.stop();
    }

    /** Lets the next leader find another database than the last one. */
    private void suspectForAll() {
        try {
            database.transaction(connection -> {
                tables.identify(connection, "put back");
                return holder;
            });
        } catch (SQLException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The log was put back, and could not be marked so: " + e.getMessage()
                            + ". Call Cluster.stateRestored at the next leader");
        }
    }

    private void troubled(Object user, CauseLog causes, SQLException failure) {
        if (DatabaseTrouble.conflict(failure) || closing.get()) {
            return;
        }
        DatabaseTrouble trouble = DatabaseTrouble.of(failure, DatabaseTrouble.slow(failure) ? holders() : List.of());
        String reason = DatabaseTrouble.reason(failure);
        health.fails(user, "the database of the log fails: " + reason, trouble.text() + ".");
        causes.warn(
                "database " + trouble.cause(),
                "The database of the log fails: " + reason + ". " + trouble.text()
                        + ". Commands wait and are tried again; a leader without the database stops leading after "
                        + Durations.text(settings.options.lease()));
    }

    private List<String> holders() {
        try {
            return database.transaction(tables::holders);
        } catch (SQLException e) {
            return List.of();
        }
    }

    private final class LogEvents implements LogThread.Listener {
        private final CauseLog causes = new CauseLog(LOG, environment.clock());

        @Override
        public void worked() {
            health.works(this);
            causes.overAll();
        }

        @Override
        public void appended(LogCommit commit) {
            commits.publish(commit);
        }

        @Override
        public void troubled(SQLException failure) {
            LogProcess.this.troubled(this, causes, failure);
        }

        @Override
        public void failed(Throwable reason) {
            fail(reason);
        }
    }

    private final class LeaseEvents implements LeaseThread.Listener {
        private final CauseLog causes = new CauseLog(LOG, environment.clock());

        @Override
        public void found(Overview overview) {
            health.works(this);
            causes.overAll();
            seen = new Seen(overview, environment.timer().nanoTime());
            tables.othersListen(overview.servers().size() > 1);
            follow(overview.head());
        }

        @Override
        public void taken(Head now) {
            Overview before = Objects.requireNonNull(seen, "the tables were read at the start")
                    .overview();
            seen = new Seen(before.with(now), environment.timer().nanoTime());
            follow(now);
        }

        private void follow(Head now) {
            KnownLeader known = leader;
            Head.Lease lease = now.lease();
            if (lease.free()) {
                leader = null;
            } else if (known == null
                    || known.lease().holder() != lease.holder()
                    || known.lease().term() != lease.term()) {
                leader = new KnownLeader(lease, environment.clock().instant());
                if (lease.holder() != holder) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            () -> "Server " + lease.leader() + " leads now; this server follows it");
                }
            }
            if (now.lastIndex() != applied.index()) {
                logThread.wake();
            }
            if (now.firstRecorded() != 0) {
                logThread.move();
            }
        }

        @Override
        public void complete(long taken, boolean suspect) {
            LogProcess.this.complete(taken, suspect);
        }

        @Override
        public void troubled(SQLException failure) {
            LogProcess.this.troubled(this, causes, failure);
        }

        @Override
        public void failed(Throwable reason) {
            fail(reason);
        }
    }
}

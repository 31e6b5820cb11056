package io.csi4j.simulation.internal.database;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.replication.LeaderTerm;
import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.internal.database.Tables.Entry;
import io.csi4j.simulation.internal.database.Tables.Head;
import io.csi4j.simulation.internal.database.Tables.Lease;
import io.csi4j.simulation.internal.server.LogSite;
import io.csi4j.simulation.internal.world.PortDecorator.DatabaseRules;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a server's process, from its start to its crash. It appends and applies commands, and renews or takes the lease,
 * as csi-replication-jdbc does; whether it leads is decided by the real {@link LeaderTerm}.
 */
final class DatabaseServer implements CommandLog {
    static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final String name;
    private final Database database;
    private final Tables tables;
    private final DatabaseRules rules;
    private final LogSite.Server server;
    private final LogSite site;
    private final StateStore store;
    private final Timer timer;
    private final LeaderTerm term;
    private final long id;
    private long applied;

    private final Deque<Submission> queue = new ArrayDeque<>();
    private final Map<Long, Submission> inFlight = new LinkedHashMap<>();
    /** The committed entries that are applied while the next ones are written, and the commands of this server among them. */
    private List<Entry> unapplied = List.of();

    private final Map<Long, Submission> committed = new HashMap<>();
    private final List<Runnable> reads = new ArrayList<>();
    private long numbers;
    private boolean behind;
    private boolean working;
    private boolean resting;

    private boolean beating;
    private boolean due;
    private @Nullable Lease seen;
    private long seenAt;

    /**
     * Starts a server.
     *
     * @param id the random number of the process, not 0
     * @param store the state, with the entries up to an index
     * @param applied this index
     */
    DatabaseServer(
            String name,
            LogSite site,
            Database database,
            Tables tables,
            DatabaseRules rules,
            long id,
            LogSite.Server server,
            StateStore store,
            long applied) {
        this.name = name;
        this.site = site;
        this.database = database;
        this.tables = tables;
        this.rules = rules;
        this.id = id;
        this.store = store;
        this.applied = applied;
        this.server = server;
        Environment environment = server.environment();
        this.timer = environment.timer();
        Leadership leadership = new Leadership(environment.executor());
        this.term = new LeaderTerm(timer, leadership, rules.acting(LEASE));
        leadership.add(new LeadershipListener() {
            @Override
            public void startLeading() {
                site.world().leaders().starts(server.process(), name);
                server.startLeading(() -> rules.mayAct(term.mayAct()));
            }

            @Override
            public void stopLeading() {
                server.stopLeading();
                site.world().leaders().stops(server.process());
            }
        });
        site.world().setState(server.process(), store);
        server.open(this);
        beat();
    }

    LogSite.Server server() {
        return server;
    }

    String name() {
        return name;
    }

    StateStore store() {
        return store;
    }

    /** Whether the engine of this server acts, as far as this server knows. */
    boolean acts() {
        return server.alive() && term.acting() != 0;
    }

    @Override
    public ObservableState state() {
        return store;
    }

    // --- The commands.

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        numbers++;
        Submission submission = new Submission(numbers, term.acting(), command);
        queue.addLast(submission);
        server.process().execute(this::work);
        return submission.outcome();
    }

    private void work() {
        if (working || resting || (queue.isEmpty() && reads.isEmpty() && !behind && inFlight.isEmpty())) {
            return;
        }
        working = true;
        behind = false;
        if (inFlight.isEmpty()) {
            queue.forEach(submission -> inFlight.put(submission.number(), submission));
            queue.clear();
        }
        if (reads.isEmpty() && !inFlight.isEmpty()) {
            append();
        } else {
            catchUp();
        }
    }

    private void worked() {
        working = false;
        work();
    }

    private void failed() {
        inFlight.values().forEach(Submission::failed);
        working = false;
        resting = true;
        behind = true;
        var unused = timer.schedule(PAUSE, () -> {
            resting = false;
            work();
        });
    }

    private void append() {
        long bound =
                inFlight.values().stream().mapToLong(Submission::term).max().orElse(0);
        refuse(submission -> submission.term() < bound);
        List<Entry> entries = inFlight.values().stream()
                .map(one -> new Entry(one.term(), id, one.number(), one.command()))
                .toList();
        long before = applied + unapplied.size();
        transact(
                true,
                () -> tables.append(entries, before, bound),
                appended -> {
                    applyCommitted();
                    if (appended) {
                        unapplied = entries;
                        committed.putAll(inFlight);
                        inFlight.clear();
                        if (queue.isEmpty() || !reads.isEmpty()) {
                            applyCommitted();
                        }
                        worked();
                    } else {
                        catchUp();
                    }
                },
                () -> {
                    applyCommitted();
                    failed();
                });
        if (!unapplied.isEmpty()) {
            site.world().coverage().fault("entries applied while the next ones are written");
            server.process().execute(this::applyCommitted);
        }
    }

    private void applyCommitted() {
        List<Entry> entries = unapplied;
        unapplied = List.of();
        entries.forEach(this::apply);
    }

    private void catchUp() {
        applyCommitted();
        List<Runnable> waiting = List.copyOf(reads);
        reads.clear();
        long before = applied;
        transact(
                false,
                () -> tables.after(before),
                tail -> {
                    tail.entries().forEach(this::apply);
                    refuse(submission ->
                            submission.term() != tail.head().lease().term());
                    waiting.forEach(Runnable::run);
                    worked();
                },
                () -> {
                    reads.addAll(waiting);
                    failed();
                });
    }

    private void apply(Entry entry) {
        applied++;
        Outcome outcome = store.applyAt(applied, entry.command());
        if (!outcome.equals(tables.outcome(applied))) {
            site.violation("I9: server " + name + " has another outcome of the entry " + applied);
        }
        if (entry.origin() != id) {
            return;
        }
        Submission known = committed.remove(entry.number());
        if (known != null) {
            known.outcome().complete(outcome);
            return;
        }
        Submission own = inFlight.get(entry.number());
        if (own != null && (rules.findsUnknownCommits() || !own.unknown())) {
            inFlight.remove(entry.number());
            if (own.unknown()) {
                site.world().coverage().fault("unknown commit found");
            }
            own.outcome().complete(outcome);
        }
    }

    /** Ends the commands that are bound to another leadership: the log does not take them any more. */
    private void refuse(Predicate<Submission> another) {
        List<Submission> former = inFlight.values().stream()
                .filter(submission -> submission.term() != 0 && another.test(submission))
                .toList();
        for (Submission submission : former) {
            inFlight.remove(submission.number());
            submission
                    .outcome()
                    .completeExceptionally(
                            new NoLeaderException("another server leads; the command was not applied", null));
        }
    }

    private <T> void transact(boolean changesHead, Supplier<T> work, Consumer<T> done, Runnable failed) {
        database.transact(name, server.process(), changesHead, work, done, failed);
    }

    // --- The lease.

    private record Renewal(boolean done, Head head) {}

    private void beat() {
        var unused = timer.schedule(PERIOD, this::beat);
        if (beating) {
            due = true;
        } else {
            beatNow();
        }
    }

    private void beatNow() {
        beating = true;
        long mine = term.held();
        long sentAt = timer.nanoTime();
        transact(
                false,
                () -> new Renewal(mine != 0 && tables.renew(mine, id), tables.head()),
                renewal -> {
                    if (renewal.done) {
                        term.renewed(mine, rules.renewedAt(sentAt, timer.nanoTime()));
                        complete(mine);
                    } else if (mine != 0) {
                        term.lost();
                    }
                    observe(renewal.head.lease());
                    if (renewal.head.lastIndex() != applied) {
                        behind = true;
                        work();
                    }
                    if (term.held() == 0 && mayTake(renewal.head.lease())) {
                        take(renewal.head.lease());
                    } else {
                        beaten();
                    }
                },
                this::beaten);
    }

    private void beaten() {
        beating = false;
        if (due) {
            due = false;
            beatNow();
        }
    }

    private void observe(Lease now) {
        if (!now.equals(seen)) {
            seen = now;
            seenAt = timer.nanoTime();
        }
    }

    private boolean mayTake(Lease now) {
        return now.holder() == 0 || now.holder() == id || timer.nanoTime() - seenAt >= LEASE.toNanos();
    }

    private void take(Lease found) {
        long sentAt = timer.nanoTime();
        transact(
                true,
                () -> tables.take(found, id),
                (Optional<Lease> taken) -> {
                    taken.ifPresent(lease -> {
                        observe(lease);
                        term.renewed(lease.term(), rules.renewedAt(sentAt, timer.nanoTime()));
                        complete(lease.term());
                    });
                    beaten();
                },
                this::beaten);
    }

    /** Lets this server lead when its state has all entries from before. */
    private void complete(long taken) {
        if (!term.complete()) {
            reads.add(() -> term.completed(taken));
            work();
        }
    }

    /** Applies all entries at once, at the end of a run. */
    void finish() {
        applyCommitted();
        tables.after(applied).entries().forEach(this::apply);
    }
}

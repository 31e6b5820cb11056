package io.csi4j.simulation.internal.database;

import io.csi4j.simulation.internal.server.LogSite;
import io.csi4j.simulation.internal.time.SimProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The database as the servers reach it. A transaction that changes the head of the log holds its row until it is committed or
 * undone, also after its connection has broken. Answers may be slow or lost.
 */
final class Database {
    /** The time after which a server gives up a statement. */
    static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static final Duration LATENCY = Duration.ofMillis(3);
    private static final Duration WORK = Duration.ofMillis(2);
    private static final Duration LATEST_COMMIT = Duration.ofSeconds(20);
    private static final double LOST = 0.04;
    private static final double LOST_AT_LAST = 0.25;
    private static final double LATE = 0.01;
    private static final double SLOW = 0.05;

    private final LogSite site;
    private final Set<DatabaseFault> faults;
    private final SplittableRandom random;
    private final Set<String> unreachable = new HashSet<>();
    private final Deque<Transaction<?>> waiting = new ArrayDeque<>();
    private @Nullable Transaction<?> holder;
    private boolean stopped;

    Database(LogSite site, Set<DatabaseFault> faults, SplittableRandom random) {
        this.site = site;
        this.faults = faults;
        this.random = random;
    }

    /** A transaction of a server. */
    private final class Transaction<T> {
        private final String server;
        private final SimProcess process;
        private final boolean changesHead;
        private final Supplier<T> work;
        private final Consumer<T> done;
        private final Runnable failed;
        /** Whether it was committed or undone. */
        private boolean ended;
        /** Whether its server has the answer, or has given it up. */
        private boolean answered;

        Transaction(
                String server,
                SimProcess process,
                boolean changesHead,
                Supplier<T> work,
                Consumer<T> done,
                Runnable failed) {
            this.server = server;
            this.process = process;
            this.changesHead = changesHead;
            this.work = work;
            this.done = done;
            this.failed = failed;
        }

        void giveUp() {
            process.run(() -> {
                if (!answered) {
                    answered = true;
                    failed.run();
                }
            });
        }

        void arrive() {
            if (stopped || unreachable.contains(server)) {
                site.after(TIMEOUT, this::giveUp);
            } else if (!changesHead) {
                commit();
            } else if (holder == null) {
                begin();
            } else {
                waiting.add(this);
                site.after(TIMEOUT, this::giveUp);
            }
        }

        void begin() {
            holder = this;
            if (occurs(DatabaseFault.COMMITS_LATE, LATE)) {
                site.world().coverage().fault("commit late");
                site.after(upTo(LATENCY), this::giveUp);
                site.after(upTo(LATEST_COMMIT), this::commit);
            } else {
                site.after(upTo(WORK), this::commit);
            }
        }

        void commit() {
            if (ended) {
                return;
            }
            ended = true;
            // The session of a process that has crashed may end before or after its commit.
            boolean undone = !process.alive() && random.nextBoolean();
            T result = undone ? null : work.get();
            if (this.equals(holder)) {
                beginNext();
            }
            if (result != null) {
                answer(result);
            }
        }

        private void answer(T result) {
            if (occurs(DatabaseFault.ANSWERS_LOST, LOST)
                    || (changesHead && site.world().faults().logStillFails() && random.nextDouble() < LOST_AT_LAST)) {
                if (changesHead) {
                    site.world().coverage().fault("answer of a commit lost");
                }
                site.after(upTo(TIMEOUT), this::giveUp);
                return;
            }
            Duration delay = upTo(occurs(DatabaseFault.ANSWERS_SLOW, SLOW) ? TIMEOUT : LATENCY);
            site.after(delay, () -> {
                if (unreachable.contains(server)) {
                    site.after(TIMEOUT, this::giveUp);
                } else {
                    process.run(() -> {
                        if (!answered) {
                            answered = true;
                            done.accept(result);
                        }
                    });
                }
            });
        }
    }

    private boolean occurs(DatabaseFault fault, double probability) {
        return faults.contains(fault) && site.faults() && random.nextDouble() < probability;
    }

    private Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    /**
     * Runs a transaction.
     *
     * @param server the name of the server
     * @param process waits for the answer
     * @param changesHead whether it changes the row of the head
     * @param work reads and changes the rows
     * @param done receives the result; its future in the process
     * @param failed runs if no answer has come; the transaction may have been committed, or may still be
     */
    <T> void transact(
            String server,
            SimProcess process,
            boolean changesHead,
            Supplier<T> work,
            Consumer<T> done,
            Runnable failed) {
        Transaction<T> transaction = new Transaction<>(server, process, changesHead, work, done, failed);
        if (unreachable.contains(server) && random.nextBoolean()) {
            site.after(upTo(LATENCY), transaction::giveUp);
        } else {
            site.after(upTo(LATENCY), transaction::arrive);
        }
    }

    private void beginNext() {
        holder = null;
        while (holder == null && !waiting.isEmpty()) {
            Transaction<?> next = waiting.removeFirst();
            // The database cancels a statement that waits for a session which was given up.
            if (!next.answered && next.process.alive()) {
                next.begin();
            }
        }
    }

    /** Ends the transaction that holds the head now, because another one changes it at once. */
    void freeHead() {
        while (holder != null) {
            holder.commit();
        }
    }

    /** Cuts a server off, or lets it reach the database again. */
    void reach(String server, boolean reaches) {
        if (reaches) {
            unreachable.remove(server);
        } else {
            unreachable.add(server);
        }
    }

    /** Stops the database; its open transactions are undone. */
    void stop() {
        stopped = true;
        if (holder != null) {
            holder.ended = true;
            site.after(upTo(TIMEOUT), holder::giveUp);
        }
        holder = null;
        waiting.clear();
    }

    /** Starts the database again. */
    void start() {
        stopped = false;
    }

    /** Ends all faults. */
    void settle() {
        unreachable.clear();
        start();
    }
}

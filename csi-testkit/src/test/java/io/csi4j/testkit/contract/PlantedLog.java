package io.csi4j.testkit.contract;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.state.StateStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A log whose disk is a list, with one fault. */
final class PlantedLog implements CommandLog {
    /** The fault of the log. */
    enum Fault {
        NONE,
        NEVER_ANSWERED,
        NULL,
        COMPLETED_BEFORE_APPLIED,
        APPLIED_TWICE,
        SECOND_ANSWER,
        ANSWERS_MIXED_UP,
        NULL_ALWAYS,
        VISIBLE_BEFORE_DURABLE,
        NEVER_DURABLE,
        ORDER_LOST,
        APPLIED_LATE
    }

    private final Fault fault;
    private final List<Command> disk;
    private final StateStore store = StateStore.inMemory();
    private final LateState late = new LateState();
    private @Nullable Outcome before;
    private boolean closed;

    /** Starts from the commands on a disk, and writes to this disk. */
    PlantedLog(Fault fault, List<Command> disk) {
        this.fault = fault;
        this.disk = disk;
        List<Command> stored = new ArrayList<>(disk);
        if (fault == Fault.ORDER_LOST) {
            Collections.reverse(stored);
        }
        stored.forEach(store::apply);
    }

    /** Returns the log after a crash. */
    synchronized PlantedLog crashed() {
        return new PlantedLog(fault, fault == Fault.NEVER_DURABLE ? new ArrayList<>() : new ArrayList<>(disk));
    }

    synchronized void close() {
        closed = true;
    }

    @Override
    public synchronized CompletableFuture<Outcome> submit(Command command) {
        if (closed) {
            if (fault == Fault.APPLIED_LATE) {
                disk.add(command);
            }
            return CompletableFuture.failedFuture(new LogClosedException("PlantedLog"));
        }
        if (fault == Fault.VISIBLE_BEFORE_DURABLE) {
            return new LazilyWritten(store.apply(command), () -> disk.add(command));
        }
        disk.add(command);
        late.before(store.snapshot());
        Outcome outcome = store.apply(command);
        if (fault == Fault.APPLIED_TWICE && command instanceof ClaimCommand.TakeClaims) {
            store.apply(command);
        }
        if (fault == Fault.SECOND_ANSWER) {
            return answer(store.apply(command));
        }
        if (fault == Fault.ANSWERS_MIXED_UP) {
            Outcome earlier = before == null ? outcome : before;
            before = outcome;
            return answer(earlier);
        }
        return answer(outcome);
    }

    private CompletableFuture<Outcome> answer(Outcome outcome) {
        if (fault == Fault.NULL_ALWAYS || (fault == Fault.NULL && !outcome.accepted())) {
            return CompletableFuture.completedFuture(null);
        }
        boolean withoutEffect = outcome instanceof Outcome.Accepted accepted && !accepted.changed();
        return fault == Fault.NEVER_ANSWERED && withoutEffect
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(outcome);
    }

    @Override
    public ObservableState state() {
        return fault == Fault.COMPLETED_BEFORE_APPLIED ? late : store;
    }

    /** Writes the command to the disk when the test waits for the answer. */
    private static final class LazilyWritten extends CompletableFuture<Outcome> {
        private final Runnable write;

        LazilyWritten(Outcome outcome, Runnable write) {
            this.write = write;
            complete(outcome);
        }

        @Override
        public Outcome get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            write.run();
            return super.get(timeout, unit);
        }
    }

    /** A state whose first snapshot after a command does not show the command. */
    private final class LateState implements ObservableState {
        private @Nullable StateReader before;

        synchronized void before(StateReader snapshot) {
            before = snapshot;
        }

        @Override
        public synchronized StateReader snapshot() {
            StateReader old = before;
            before = null;
            return old == null ? store.snapshot() : old;
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return store.newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return store.subscribe(scope, index, listener);
        }
    }
}

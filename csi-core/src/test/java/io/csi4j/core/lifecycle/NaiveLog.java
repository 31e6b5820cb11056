package io.csi4j.core.lifecycle;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.NaiveState;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A log over the naive state that can fail to answer, before or after a command is applied. */
final class NaiveLog implements CommandLog, ObservableState {
    private final NaiveState state;
    private final List<Command> commands = new ArrayList<>();
    private int losing;
    private boolean applyLost;
    private boolean dead;
    /** What others do to the state right after a command of this log. */
    Consumer<Command> applied = command -> {};

    NaiveLog(NaiveState state) {
        this.state = state;
    }

    /** The next commands are not answered; they are applied, or not. */
    void lose(int count, boolean apply) {
        losing = count;
        applyLost = apply;
    }

    /** The server of this log is gone: nothing of it changes the state any more. */
    void kill() {
        dead = true;
    }

    List<Command> commands() {
        return commands;
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        if (dead) {
            return new CompletableFuture<>();
        }
        if (losing > 0) {
            losing--;
            if (applyLost) {
                state.apply(command);
            }
            return CompletableFuture.failedFuture(new IllegalStateException("no leader"));
        }
        commands.add(command);
        Outcome outcome = state.apply(command);
        applied.accept(command);
        return CompletableFuture.completedFuture(outcome);
    }

    @Override
    public ObservableState state() {
        return this;
    }

    @Override
    public StateReader snapshot() {
        return state.copy();
    }

    @Override
    public CompletableFuture<Long> newerThan(StateScope scope, long index) {
        throw new UnsupportedOperationException("no watches here");
    }

    @Override
    public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
        // Nobody is told of anything: a leader over this log finds what there is by looking.
        return () -> {};
    }
}

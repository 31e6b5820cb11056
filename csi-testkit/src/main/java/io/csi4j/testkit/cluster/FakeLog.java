package io.csi4j.testkit.cluster;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The command log of all servers. A test can make it lose the next command, lose the answer to it, or delay all
 * commands.
 */
final class FakeLog implements CommandLog {
    enum Fault {
        LOSE_COMMAND,
        LOSE_ANSWER
    }

    private final StateStore store;
    private final ClusterTime time;
    private final Deque<Fault> faults = new ArrayDeque<>();
    private Duration delay = Duration.ZERO;

    FakeLog(StateStore store, ClusterTime time) {
        this.store = store;
        this.time = time;
    }

    synchronized void addFault(Fault fault) {
        faults.add(fault);
    }

    synchronized void delay(Duration delay) {
        this.delay = delay;
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        @Nullable Fault fault;
        Duration wait;
        synchronized (this) {
            fault = faults.poll();
            wait = delay;
        }
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        if (wait.isZero()) {
            time.executor().execute(() -> apply(command, fault, answer));
        } else {
            time.after(wait, () -> apply(command, fault, answer));
        }
        return answer;
    }

    private void apply(Command command, @Nullable Fault fault, CompletableFuture<Outcome> answer) {
        if (fault == Fault.LOSE_COMMAND) {
            answer.completeExceptionally(new CsiException(
                    "the fake log has lost the command; it was not applied, which the caller cannot know"));
            return;
        }
        Outcome outcome;
        try {
            outcome = store.apply(command);
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
            return;
        }
        if (fault == Fault.LOSE_ANSWER) {
            answer.completeExceptionally(new CsiException(
                    "the fake log has lost the answer; the command was applied, which the caller cannot know"));
        } else {
            answer.complete(outcome);
        }
    }

    @Override
    public ObservableState state() {
        return store;
    }
}

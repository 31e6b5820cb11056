package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A log that keeps commands back, in the order they come, until it is opened. */
final class HeldLog implements CommandLog {
    private final CommandLog log;
    private final List<Runnable> held = new ArrayList<>();
    private boolean closed;

    HeldLog(CommandLog log) {
        this.log = log;
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        synchronized (this) {
            if (closed) {
                CompletableFuture<Outcome> outcome = new CompletableFuture<>();
                held.add(() -> {
                    var unused = log.submit(command).whenComplete((done, failure) -> {
                        if (failure == null) {
                            outcome.complete(done);
                        } else {
                            outcome.completeExceptionally(failure);
                        }
                    });
                });
                notifyAll();
                return outcome;
            }
        }
        return log.submit(command);
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    synchronized void hold() {
        closed = true;
    }

    /** Waits until so many commands are held, or until something else is done. */
    synchronized void awaitHeld(int count, CompletableFuture<?> orDone) throws InterruptedException {
        var unused = orDone.whenComplete((done, failure) -> wakeUp());
        long end = System.nanoTime() + Ground.PATIENCE.toNanos();
        while (held.size() < count && !orDone.isDone()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            assertThat(left)
                    .as("%s commands are held, and not %s", held.size(), count)
                    .isPositive();
            wait(left);
        }
    }

    private synchronized void wakeUp() {
        notifyAll();
    }

    /** Lets all through that is held, in order, and all that comes later. */
    void open() {
        List<Runnable> all;
        synchronized (this) {
            closed = false;
            all = List.copyOf(held);
            held.clear();
        }
        all.forEach(Runnable::run);
    }
}

package io.csi4j.simulation.stress;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** A local log that answers on various threads and sometimes fails; it counts open watches. */
final class RacyLog implements CommandLog, ObservableState {
    private final StateStore store;
    private final CommandLog log;
    private final Executor otherThreads;
    private final AtomicInteger watches = new AtomicInteger();
    private volatile boolean failing = true;

    RacyLog(StateStore store, Executor otherThreads) {
        this.store = store;
        this.log = new LocalCommandLog(store);
        this.otherThreads = otherThreads;
    }

    void stopFailing() {
        failing = false;
    }

    int watches() {
        return watches.get();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        int fate = ThreadLocalRandom.current().nextInt(200);
        if (failing && fate == 0) {
            return CompletableFuture.failedFuture(new CsiException("the log is unavailable"));
        }
        CompletableFuture<Outcome> outcome = log.submit(command);
        if (failing && fate == 1) {
            return CompletableFuture.failedFuture(new CsiException("the log did not answer"));
        }
        return fate % 2 == 0 ? outcome : outcome.thenApplyAsync(done -> done, otherThreads);
    }

    @Override
    public ObservableState state() {
        return this;
    }

    @Override
    public StateReader snapshot() {
        StateReader snapshot = store.snapshot();
        if (ThreadLocalRandom.current().nextInt(8) == 0) {
            // Long enough for other threads to change the state meanwhile.
            for (int left = ThreadLocalRandom.current().nextInt(5_000); left > 0; left--) {
                Thread.onSpinWait();
            }
        }
        return snapshot;
    }

    @Override
    public CompletableFuture<Long> newerThan(StateScope scope, long index) {
        return store.newerThan(scope, index);
    }

    @Override
    public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
        return counted(store.subscribe(scope, index, listener));
    }

    @Override
    public Subscription subscribeUnsettled(long index, VolumeListener listener) {
        return counted(store.subscribeUnsettled(index, listener));
    }

    private Subscription counted(Subscription subscription) {
        watches.incrementAndGet();
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (open.getAndSet(false)) {
                watches.decrementAndGet();
            }
            subscription.close();
        };
    }
}

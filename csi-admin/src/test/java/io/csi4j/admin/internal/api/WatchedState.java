package io.csi4j.admin.internal.api;

import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;

/** A state that notes each wait for a change. */
public final class WatchedState implements ObservableState {
    /**
     * A wait.
     *
     * @param scopes the parts of the state
     */
    public record Watch(List<StateScope> scopes, CompletableFuture<Long> newer) {}

    /** The waits, the oldest first. */
    public final BlockingQueue<Watch> watches = new LinkedBlockingQueue<>();

    private final ObservableState state;

    public WatchedState(ObservableState state) {
        this.state = state;
    }

    /** Returns the number of waits that have not ended. */
    public long open() {
        return watches.stream().filter(watch -> !watch.newer().isDone()).count();
    }

    @Override
    public StateReader snapshot() {
        return state.snapshot();
    }

    @Override
    public CompletableFuture<Long> newerThan(StateScope scope, long index) {
        return noted(List.of(scope), state.newerThan(scope, index));
    }

    @Override
    public CompletableFuture<Long> newerThan(Collection<StateScope> scopes, long index) {
        return noted(List.copyOf(scopes), state.newerThan(scopes, index));
    }

    private CompletableFuture<Long> noted(List<StateScope> scopes, CompletableFuture<Long> newer) {
        watches.add(new Watch(scopes, newer));
        return newer;
    }

    @Override
    public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
        return state.subscribe(scope, index, listener);
    }
}

package io.csi4j.state;

import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import java.util.List;

/** A watcher that notifies its listener repeatedly, until it is closed. Each subclass keeps the pending notifications. */
abstract class ListenerWatch implements Watcher, Subscription {
    private static final System.Logger LOG = System.getLogger(ListenerWatch.class.getName());

    private final WatchRegistry registry;
    private final StateScope scope;
    private final Notifier notifier;

    private volatile long index;
    private volatile boolean closed;

    ListenerWatch(WatchRegistry registry, StateScope scope, long index, Notifier notifier) {
        this.registry = registry;
        this.scope = scope;
        this.index = index;
        this.notifier = notifier;
    }

    @Override
    public final List<StateScope> scopes() {
        return List.of(scope);
    }

    @Override
    public final boolean once() {
        return false;
    }

    @Override
    public final long index() {
        return index;
    }

    /**
     * Records that the first change has reached this watch. From then on the listener is notified of every change,
     * whatever the index of the change.
     */
    final void called() {
        index = Long.MIN_VALUE;
    }

    /** Runs notifications on a thread other than the writer's. */
    final void run(Runnable report) {
        notifier.run(report);
    }

    /** Calls the listener, unless it is closed. */
    final void call(Runnable listener) {
        if (closed) {
            return;
        }
        try {
            listener.run();
        } catch (RuntimeException | Error e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "A listener for " + scope.table() + " failed; it stays subscribed",
                    e);
        }
    }

    @Override
    public final void closed(RuntimeException reason) {
        closed = true;
    }

    @Override
    public final void close() {
        closed = true;
        registry.remove(this);
    }
}

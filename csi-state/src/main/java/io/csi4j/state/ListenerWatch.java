package io.csi4j.state;

import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;

/** A watcher that is told again and again until it is closed. How news are kept meanwhile is the business of each kind. */
abstract class ListenerWatch implements Watcher, Subscription {
    private static final System.Logger LOG = System.getLogger(ListenerWatch.class.getName());

    private final WatchRegistry registry;
    private final StateScope scope;
    private final Notifier notifier;

    private volatile long seen;
    private volatile boolean closed;

    ListenerWatch(WatchRegistry registry, StateScope scope, long seen, Notifier notifier) {
        this.registry = registry;
        this.scope = scope;
        this.seen = seen;
        this.notifier = notifier;
    }

    @Override
    public final StateScope scope() {
        return scope;
    }

    @Override
    public final boolean once() {
        return false;
    }

    @Override
    public final long seen() {
        return seen;
    }

    /** There are news: from now on it is told of all that comes. */
    final void called() {
        seen = Long.MIN_VALUE;
    }

    /** Has news told by a thread that is not the writer's. */
    final void run(Runnable tell) {
        notifier.run(tell);
    }

    /** Calls the listener, unless nobody wants to hear any more. */
    final void call(Runnable listener) {
        if (closed) {
            return;
        }
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "A listener for " + scope.table() + " failed; it stays subscribed",
                    e);
        }
    }

    @Override
    public final void closed(RuntimeException why) {
        closed = true;
    }

    @Override
    public final void close() {
        closed = true;
        registry.remove(this);
    }
}

package io.csi4j.state;

import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Many calls, one at a time. What comes while the listener is busy is kept as one index, the newest; so a slow
 * listener holds one thread at most and loses nothing but the count.
 */
final class WatchSubscription implements Watcher, Subscription {
    private static final System.Logger LOG = System.getLogger(WatchSubscription.class.getName());
    private static final long IDLE = -1;

    private final WatchRegistry registry;
    private final StateScope scope;
    private final LongConsumer listener;
    private final Notifier notifier;
    /** The index to tell, or {@link #IDLE} while no run is scheduled. */
    private final AtomicLong pending = new AtomicLong(IDLE);

    private volatile long seen;
    private volatile boolean closed;

    WatchSubscription(WatchRegistry registry, StateScope scope, long seen, LongConsumer listener, Notifier notifier) {
        this.seen = seen;
        this.registry = registry;
        this.scope = scope;
        this.listener = listener;
        this.notifier = notifier;
    }

    @Override
    public StateScope scope() {
        return scope;
    }

    @Override
    public boolean once() {
        return false;
    }

    @Override
    public long seen() {
        return seen;
    }

    @Override
    public void changed(long index) {
        seen = Long.MIN_VALUE;
        // The first call and a commit may come in either order; the later index counts.
        if (pending.getAndAccumulate(index, Math::max) == IDLE) {
            notifier.run(this::tell);
        }
    }

    private void tell() {
        long index = pending.get();
        while (true) {
            if (!closed) {
                call(index);
            }
            if (pending.compareAndSet(index, IDLE)) {
                return;
            }
            index = pending.get();
        }
    }

    private void call(long index) {
        try {
            listener.accept(index);
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "A listener for " + scope.table() + " failed; it stays subscribed",
                    e);
        }
    }

    @Override
    public void closed(RuntimeException why) {
        closed = true;
    }

    @Override
    public void close() {
        closed = true;
        registry.remove(this);
    }
}

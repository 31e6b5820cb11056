package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Tells which unsettled volumes changed, one call at a time. What comes while the listener is busy is kept; when
 * that grows too long, all of it becomes one word that anything may have changed.
 */
final class VolumeSubscription implements Watcher, Subscription {
    private static final System.Logger LOG = System.getLogger(VolumeSubscription.class.getName());
    /** A bound for the memory that a listener takes that does not come back. */
    private static final int MOST = 100_000;

    private final WatchRegistry registry;
    private final VolumeListener listener;
    private final Notifier notifier;
    private final StateScope scope = StateScope.unsettledVolumes();

    // Guarded by this.
    private final Queue<Change> changes = new ArrayDeque<>();
    private boolean anything;
    private boolean running;

    private volatile long seen;
    private volatile boolean closed;

    VolumeSubscription(WatchRegistry registry, long seen, VolumeListener listener, Notifier notifier) {
        this.registry = registry;
        this.seen = seen;
        this.listener = listener;
        this.notifier = notifier;
    }

    /** What a volume's key was found with; without one: anything. */
    private record Change(@Nullable VolumeKey key, long index) {}

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
        changed(index, Touched.everything());
    }

    @Override
    public void changed(long index, Touched touched) {
        seen = Long.MIN_VALUE;
        synchronized (this) {
            if (touched.isEverything()) {
                add(null, index);
            }
            for (int i = 0; i < touched.size(); i++) {
                if (touched.table(i) == scope.table()) {
                    add((VolumeKey) touched.key(i), index);
                }
            }
            if (running || changes.isEmpty()) {
                return;
            }
            running = true;
        }
        notifier.run(this::tell);
    }

    private void add(@Nullable VolumeKey key, long index) {
        boolean all = key == null || changes.size() >= MOST;
        if (all && !anything) {
            changes.clear();
        }
        anything |= all;
        // What else comes before that is told is part of it: the state is read after.
        if (!anything || changes.isEmpty()) {
            changes.add(new Change(anything ? null : key, index));
        }
    }

    private void tell() {
        for (Change change = next(); change != null; change = next()) {
            if (!closed) {
                call(change);
            }
        }
    }

    private synchronized @Nullable Change next() {
        Change change = changes.poll();
        running = change != null;
        if (change != null && change.key == null) {
            anything = false;
        }
        return change;
    }

    private void call(Change change) {
        try {
            if (change.key == null) {
                listener.anyChanged(change.index);
            } else {
                listener.changed(change.key, change.index);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "A listener for unsettled volumes failed; it stays subscribed", e);
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

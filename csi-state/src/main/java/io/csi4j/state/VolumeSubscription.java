package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Notifies a listener of changes of volumes that still need calls to a plugin, one call at a time. Changes during a
 * call are kept for the next calls; if they are too many, the listener is notified once that any volume may have
 * changed.
 */
final class VolumeSubscription extends ListenerWatch {
    /** The largest number of kept changes, which limits the memory if a listener never returns. */
    static final int MAX_CHANGES = 100_000;

    private final VolumeListener listener;

    // The following fields are guarded by this object's lock; the listener is never called under the lock.
    private final Queue<Change> changes = new ArrayDeque<>();
    private boolean anything;
    private boolean running;

    VolumeSubscription(WatchRegistry registry, long index, VolumeListener listener, Notifier notifier) {
        super(registry, StateScope.unsettledVolumes(), index, notifier);
        this.listener = listener;
    }

    /** The key and the index of a changed volume; a null key means that any volume may have changed. */
    private record Change(@Nullable VolumeKey key, long index) {}

    @Override
    public void changed(long index) {
        changed(index, Touched.everything());
    }

    @Override
    public void changed(long index, Touched touched) {
        called();
        synchronized (this) {
            if (touched.isEverything()) {
                add(null, index);
            }
            for (int i = 0; i < touched.size(); i++) {
                if (touched.table(i) == StateScope.Table.UNSETTLED_VOLUMES) {
                    add((VolumeKey) touched.key(i), index);
                }
            }
            if (running || changes.isEmpty()) {
                return;
            }
            running = true;
        }
        run(this::notifyListener);
    }

    private void add(@Nullable VolumeKey key, long index) {
        boolean all = key == null || changes.size() >= MAX_CHANGES;
        if (all && !anything) {
            changes.clear();
        }
        anything |= all;
        // Skips the change if the listener will be notified anyway that any volume may have changed: it then reads a
        // state that contains this change.
        if (!anything || changes.isEmpty()) {
            changes.add(new Change(anything ? null : key, index));
        }
    }

    private void notifyListener() {
        for (Change change = next(); change != null; change = next()) {
            Change now = change;
            call(() -> notifyListener(now));
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

    private void notifyListener(Change change) {
        if (change.key == null) {
            listener.anyChanged(change.index);
        } else {
            listener.changed(change.key, change.index);
        }
    }
}

package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Tells which unsettled volumes changed, one call at a time. What comes while the listener is busy is kept; when
 * that grows too long, all of it becomes one word that anything may have changed.
 */
final class VolumeSubscription extends ListenerWatch {
    /** A bound for the memory that a listener takes that does not come back. */
    static final int MOST = 100_000;

    private final VolumeListener listener;

    // Guarded by this; nothing foreign is called meanwhile.
    private final Queue<Change> changes = new ArrayDeque<>();
    private boolean anything;
    private boolean running;

    VolumeSubscription(WatchRegistry registry, long seen, VolumeListener listener, Notifier notifier) {
        super(registry, StateScope.unsettledVolumes(), seen, notifier);
        this.listener = listener;
    }

    /** What a volume's key was found with; without one: anything. */
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
        run(this::tell);
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
            Change now = change;
            call(() -> tell(now));
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

    private void tell(Change change) {
        if (change.key == null) {
            listener.anyChanged(change.index);
        } else {
            listener.changed(change.key, change.index);
        }
    }
}

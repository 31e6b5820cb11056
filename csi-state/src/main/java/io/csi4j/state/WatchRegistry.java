package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watches of all scopes. The watches are not part of the trees, so that a state without watches has no cost for
 * them.
 *
 * <p>No notification is lost. A commit first makes its root visible and then calls {@link #committed}, and a watch
 * first registers and then checks the last commits. If both happen at the same time, the commit finds the watch, or the
 * watch finds the commit.
 */
final class WatchRegistry {
    private final Object lock = new Object();
    private final Map<StateScope.Table, WatchTable> tables = new EnumMap<>(StateScope.Table.class);
    private RecentChanges recent;
    /**
     * The index of the newest state that readers can see, even if watchers are not notified of it yet or no row
     * changed.
     */
    private long newest;

    private long committed;
    private @Nullable RuntimeException closed;

    WatchRegistry(long index) {
        this.recent = new RecentChanges(index);
        this.newest = index;
        this.committed = index;
        for (StateScope.Table table : StateScope.Table.values()) {
            tables.put(table, new WatchTable());
        }
    }

    /** Adds a watcher to all its scopes, and notifies it at once if one of them may have changed. */
    void add(Watcher watcher, long index) {
        long now;
        RuntimeException end;
        synchronized (lock) {
            end = closed;
            // Notifies a watch at once if its index is above the newest index: such an index is from before a restore,
            // which replaced the state by an older one.
            boolean newer = index > newest || newer(watcher, index);
            if (end == null && (!newer || !watcher.once())) {
                watcher.scopes().forEach(scope -> table(scope.table()).add(scope, watcher));
            }
            if (end == null && !newer) {
                return;
            }
            now = committed;
        }
        if (end != null) {
            watcher.closed(end);
        } else {
            watcher.changed(now);
        }
    }

    /**
     * Records the index of a root that the writer is about to make visible. From then on a reader may begin a watch
     * with this index.
     */
    void publishing(long index) {
        synchronized (lock) {
            newest = index;
        }
    }

    void remove(Watcher watcher) {
        synchronized (lock) {
            removeLocked(watcher);
        }
    }

    private void removeLocked(Watcher watcher) {
        watcher.scopes().forEach(scope -> table(scope.table()).remove(scope, watcher));
    }

    private boolean newer(Watcher watcher, long index) {
        return watcher.scopes().stream().anyMatch(scope -> recent.newer(scope, index));
    }

    /** Notifies the watchers of a commit that readers can see. Calls them without the lock of this registry. */
    void committed(long index, Touched touched) {
        List<Watcher> found;
        synchronized (lock) {
            committed = index;
            recent.add(index, touched);
            found = touched.isEverything() ? all() : find(touched);
            if (!touched.isEverything()) {
                // Skips watchers whose callers have already read a state with this index or a later one.
                found.removeIf(watcher -> watcher.index() >= index);
            }
            for (Watcher watcher : found) {
                if (watcher.once()) {
                    removeLocked(watcher);
                }
            }
        }
        for (Watcher watcher : found) {
            watcher.changed(index, touched);
        }
    }

    /** Notifies all watchers because the whole state was replaced, and forgets the last commits. */
    void replaced(long index) {
        synchronized (lock) {
            recent = new RecentChanges(Long.MAX_VALUE);
        }
        committed(index, Touched.everything());
        synchronized (lock) {
            recent = new RecentChanges(index);
        }
    }

    /** Ends all watches. */
    void close(RuntimeException reason) {
        List<Watcher> all;
        synchronized (lock) {
            closed = reason;
            all = all();
            all.forEach(this::removeLocked);
        }
        all.forEach(watcher -> watcher.closed(reason));
    }

    int size() {
        synchronized (lock) {
            return all().size();
        }
    }

    private List<Watcher> find(Touched touched) {
        Found found = new Found();
        for (int i = 0; i < touched.size(); i++) {
            WatchTable table = table(touched.table(i));
            if (!table.isEmpty()) {
                table.find(touched, i, found);
            }
        }
        return found.list();
    }

    /** Collects each watcher once, in the order in which it was found; optimized for at most one watcher. */
    private static final class Found implements Consumer<Watcher> {
        private @Nullable Watcher first;
        private @Nullable Set<Watcher> all;

        @Override
        public void accept(Watcher watcher) {
            if (all != null) {
                all.add(watcher);
            } else if (first == null) {
                first = watcher;
            } else if (!first.equals(watcher)) {
                all = new LinkedHashSet<>(List.of(first, watcher));
            }
        }

        List<Watcher> list() {
            if (all != null) {
                return new ArrayList<>(all);
            }
            List<Watcher> list = new ArrayList<>(1);
            if (first != null) {
                list.add(first);
            }
            return list;
        }
    }

    private List<Watcher> all() {
        Set<Watcher> all = new LinkedHashSet<>(); // A watcher of several scopes is there several times.
        tables.values().forEach(table -> table.all(all::add));
        return new ArrayList<>(all);
    }

    private WatchTable table(StateScope.Table table) {
        WatchTable watchers = tables.get(table);
        if (watchers == null) {
            throw new IllegalStateException("no watchers for " + table);
        }
        return watchers;
    }
}

package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import org.jspecify.annotations.Nullable;

/**
 * The changes of the last commits, so that a watch from an earlier index does not miss them. A commit that is no longer listed counts as a
 * change of every row, so a watch from a very old index is notified at once.
 */
final class RecentChanges {
    private static final int MAX_KEYS = 1024;
    /**
     * The length of the arrays, which never fill up: each commit counts as at least one key, and the commits kept have
     * at most {@code MAX_KEYS} keys together.
     */
    private static final int MAX_COMMITS = MAX_KEYS + 1;

    // Keeps the indexes in a separate array, so that dropping a commit does not read its keys.
    private final long[] indexes = new long[MAX_COMMITS];
    private final int[] sizes = new int[MAX_COMMITS];
    private final @Nullable Touched[] touched = new @Nullable Touched[MAX_COMMITS];
    private int oldest;
    private int count;
    private long forgotten;
    private int keys;

    RecentChanges(long index) {
        forgotten = index;
    }

    void add(long index, Touched now) {
        int size = now.size() + 1;
        keys += size;
        while (keys > MAX_KEYS && count > 0) {
            forget();
        }
        if (keys > MAX_KEYS) {
            // Does not keep this commit, because it alone has too many keys. No earlier commit is kept either.
            keys = 0;
            forgotten = index;
            return;
        }
        int at = at(count++);
        indexes[at] = index;
        sizes[at] = size;
        touched[at] = now;
    }

    private void forget() {
        keys -= sizes[oldest];
        forgotten = indexes[oldest];
        touched[oldest] = null;
        oldest = at(1);
        count--;
    }

    private int at(int offset) {
        return (oldest + offset) % MAX_COMMITS;
    }

    /** Returns whether any row in the scope may have changed since an index. */
    boolean newer(StateScope scope, long index) {
        if (index < forgotten) {
            return true;
        }
        for (int i = count - 1; i >= 0 && indexes[at(i)] > index; i--) {
            Touched then = touched[at(i)];
            if (then != null && in(then, scope)) {
                return true;
            }
        }
        return false;
    }

    private static boolean in(Touched touched, StateScope scope) {
        for (int i = 0; i < touched.size(); i++) {
            if (touched.table(i) == scope.table()) {
                String text = touched.text(i);
                if (scope.prefix() ? text.startsWith(scope.text()) : text.equals(scope.text())) {
                    return true;
                }
            }
        }
        return touched.isEverything();
    }
}

package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * What the last commits touched, so that a watch that begins a little late does not miss them. What it has
 * forgotten counts as touched: a watch that asks from an old index fires at once.
 */
final class RecentChanges {
    private static final int MOST_KEYS = 1024;

    private final Deque<Change> changes = new ArrayDeque<>();
    private long forgotten;
    private int keys;

    RecentChanges(long index) {
        forgotten = index;
    }

    void add(long index, Touched touched) {
        changes.addLast(new Change(index, touched));
        keys += touched.size() + 1;
        while (keys > MOST_KEYS) {
            Change oldest = changes.removeFirst();
            keys -= oldest.touched.size() + 1;
            forgotten = oldest.index;
        }
    }

    /** Whether anything in the scope may be newer than the index. */
    boolean newer(StateScope scope, long index) {
        if (index < forgotten) {
            return true;
        }
        Iterator<Change> latest = changes.descendingIterator();
        while (latest.hasNext()) {
            Change change = latest.next();
            if (change.index <= index) {
                return false;
            }
            if (change.in(scope)) {
                return true;
            }
        }
        return false;
    }

    private record Change(long index, Touched touched) {
        boolean in(StateScope scope) {
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
}

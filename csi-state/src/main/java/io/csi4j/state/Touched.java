package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.Arrays;

/**
 * Lists the tables and keys that one transaction has changed, so that watchers can be notified. Unordered; a key may be
 * repeated.
 */
final class Touched {
    /** The largest number of recorded keys; a transaction with more changes counts as a change of every row. */
    static final int MAX_CHANGES = 4096;

    private StateScope.Table[] tables = new StateScope.Table[8];
    private Object[] keys = new Object[8];
    private int count;
    private boolean everything;

    static Touched everything() {
        Touched touched = new Touched();
        touched.everything = true;
        return touched;
    }

    void add(StateScope.Table table, Object key) {
        if (everything) {
            return;
        }
        if (count == MAX_CHANGES) {
            everything = true;
            count = 0;
            tables = new StateScope.Table[0];
            keys = new Object[0];
            return;
        }
        if (count == tables.length) {
            tables = Arrays.copyOf(tables, count * 2);
            keys = Arrays.copyOf(keys, count * 2);
        }
        tables[count] = table;
        keys[count++] = key;
    }

    boolean isEverything() {
        return everything;
    }

    boolean isEmpty() {
        return count == 0 && !everything;
    }

    int size() {
        return count;
    }

    StateScope.Table table(int at) {
        return tables[at];
    }

    Object key(int at) {
        return keys[at];
    }

    /**
     * Returns the key at a position as text, in the form in which the scopes of watches name keys. The text is computed
     * only here, because most commits have no watcher.
     */
    String text(int at) {
        return TouchedKey.text(keys[at]);
    }
}

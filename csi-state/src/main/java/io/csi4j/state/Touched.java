package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.Arrays;

/** What one transaction changed, as watches see it: tables and keys, in no order, possibly repeated. */
final class Touched {
    /** A transaction that touched more than this counts as having touched everything. */
    static final int MOST = 4096;

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
        if (count == MOST) {
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

    /** The key at a position as scopes spell it. Made when somebody asks: most commits have no watcher. */
    String text(int at) {
        return TouchedKey.text(keys[at]);
    }
}

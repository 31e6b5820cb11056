package io.csi4j.state.internal.hash;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Two or more rows whose keys have the same hash. */
final class Collision {
    private final Object[] keys;
    private final Object[] rows;

    Collision(Object[] keys, Object[] rows) {
        this.keys = keys;
        this.rows = rows;
    }

    @Nullable Object get(Object key) {
        int at = Arrays.asList(keys).indexOf(key);
        return at < 0 ? null : rows[at];
    }

    Collision with(Object key, Object row) {
        int at = Arrays.asList(keys).indexOf(key);
        int position = at < 0 ? keys.length : at;
        int length = Math.max(keys.length, position + 1);
        Object[] moreKeys = Arrays.copyOf(keys, length);
        Object[] moreRows = Arrays.copyOf(rows, length);
        moreKeys[position] = key;
        moreRows[position] = row;
        return new Collision(moreKeys, moreRows);
    }

    /** Returns the collision without the row of a key. If only one row is left, returns that row itself. */
    Object without(Object key) {
        int at = Arrays.asList(keys).indexOf(key);
        int last = keys.length - 1;
        if (last == 1) {
            return rows[1 - at];
        }
        Object[] fewerKeys = Arrays.copyOf(keys, last);
        Object[] fewerRows = Arrays.copyOf(rows, last);
        if (at < last) {
            fewerKeys[at] = keys[last];
            fewerRows[at] = rows[last];
        }
        return new Collision(fewerKeys, fewerRows);
    }
}

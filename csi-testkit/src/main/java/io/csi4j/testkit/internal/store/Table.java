package io.csi4j.testkit.internal.store;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Records by key, ordered by key.
 *
 * @param <T> the records' type
 */
public interface Table<T> {
    /**
     * The record of a key.
     *
     * @param key to look up
     * @return the record, or null when there is none
     */
    @Nullable T get(String key);

    /**
     * Adds or replaces a record; when this returns, the record is durable if the store is.
     *
     * @param key of the record
     * @param value the record
     */
    void put(String key, T value);

    /**
     * Removes a record, if it is there.
     *
     * @param key of the record
     */
    void remove(String key);

    /**
     * All records in the order of their keys.
     *
     * @return a view or a copy; not to be modified
     */
    Collection<T> all();

    /**
     * The records whose key is greater than the given one, in order.
     *
     * @param key the last one already seen; empty for the beginning
     * @return a view or a copy; not to be modified
     */
    Collection<T> after(String key);

    /**
     * The records with the given value in the index, in the order of their keys.
     *
     * @param index one of those the table was made with
     * @param value to look for
     * @return a copy
     */
    Collection<T> where(Index<T> index, String value);

    /**
     * How many records there are.
     *
     * @return zero or more
     */
    int count();

    /**
     * The sum of the records' sizes.
     *
     * @return in the unit of the size function
     */
    long total();
}

package io.csi4j.testkit.internal.store;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Records by key, in the order of their keys.
 *
 * @param <T> the type of the records
 */
public interface Table<T> {
    /** Returns the record of a key, or null. */
    @Nullable T get(String key);

    /** Adds or replaces a record; afterwards the record is durable if the store is durable. */
    void put(String key, T value);

    /** Removes a record if it exists. */
    void remove(String key);

    /** Returns all records, as an unmodifiable view or copy. */
    Collection<T> all();

    /**
     * Returns the records whose keys are greater than a key, as an unmodifiable view or copy.
     *
     * @param key the last key of the page before; empty: the beginning
     */
    Collection<T> after(String key);

    /**
     * Returns a copy of the records with a value in an index.
     *
     * @param index one of the table's indexes
     * @param value the value
     */
    Collection<T> where(Index<T> index, String value);

    int count();

    /** Returns the sum of the records' sizes, in the unit of the size function. */
    long total();
}

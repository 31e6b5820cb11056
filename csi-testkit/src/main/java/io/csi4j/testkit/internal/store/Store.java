package io.csi4j.testkit.internal.store;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Named tables of records and at most one intent, guarded by one exclusive lock.
 *
 * <p>An operation with effects outside the records writes its intent first, then performs the effects, writes the records and clears
 * the intent. If the lock's next owner finds an intent, the writer has died, and the recovery completes or undoes its operation first.
 */
public interface Store {
    /**
     * Returns the table with a name; call it once for each table.
     *
     * @param <T> the type of the records
     * @param name a plain lower-case word
     * @param codec encodes and decodes the records
     * @param size the value that {@link Table#total()} sums up
     * @param indexes the indexes for {@link Table#where}
     * @return the table; only {@link Table#get} and {@link Table#all} may be used without the lock
     */
    <T> Table<T> table(String name, Codec<T> codec, ToLongFunction<T> size, java.util.List<Index<T>> indexes);

    /**
     * Runs work under the lock. If an intent was left behind, the recovery runs first. Calls may be nested.
     *
     * @param <R> the type of the result
     */
    <R> R locked(Supplier<R> work);

    /**
     * Sets the recovery, which completes or undoes the operation of an intent.
     *
     * @param recovery called under the lock; afterwards the operation must have happened completely or not at all
     */
    void onRecovery(Consumer<RecordFields> recovery);

    /** Durably writes what an operation is about to do, so that the recovery can complete or undo it after a crash. */
    void begin(RecordFields intent);

    /** Clears the intent, because the operation is complete. */
    void done();

    /** Returns the next number of this store, from 1; no number is returned twice, even after a restart. */
    long nextNumber();

    /** Returns the store's unique label of lower-case letters and digits, which is part of the ids of its objects. */
    String label();
}

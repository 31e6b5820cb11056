package io.csi4j.testkit.internal.store;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Named tables of records and at most one intent, all guarded by one exclusive lock.
 *
 * <p>An operation with effects outside the records writes its intent first, performs the effects, writes the
 * records and clears the intent. Whoever finds an intent when taking the lock knows that its writer died in
 * between, and has it completed or undone before anything else happens.
 */
public interface Store {
    /**
     * The table of that name; ask once for each table.
     *
     * @param <T> the records' type
     * @param name of the table, a plain lower-case word
     * @param codec how records are written down
     * @param size what {@link Table#total()} adds up
     * @param indexes what {@link Table#where} can be asked for
     * @return the table, to be used under the lock only, except for {@link Table#get} and {@link Table#all}
     */
    <T> Table<T> table(String name, Codec<T> codec, ToLongFunction<T> size, java.util.List<Index<T>> indexes);

    /**
     * Runs work under the lock, after recovery where that is due. May be nested.
     *
     * @param <R> the result's type
     * @param work to run
     * @return what the work returned
     */
    <R> R locked(Supplier<R> work);

    /**
     * Says who completes or undoes an intent that was found.
     *
     * @param recovery called under the lock; it has to leave the records as if the operation had either happened or not
     */
    void onRecovery(Consumer<RecordFields> recovery);

    /**
     * Writes the intent down, durably.
     *
     * @param intent what is about to be done
     */
    void begin(RecordFields intent);

    /** Clears the intent: the operation is complete. */
    void done();

    /**
     * The next number of this store; no number is given twice, not even after a restart.
     *
     * @return one or more
     */
    long nextNumber();

    /**
     * A word that tells this store from others, part of the ids made here.
     *
     * @return lower-case letters and digits
     */
    String label();
}

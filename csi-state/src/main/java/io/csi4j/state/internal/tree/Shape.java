package io.csi4j.state.internal.tree;

/**
 * The type of rows in a tree; each row contains its key.
 *
 * @param <K> the key
 * @param <R> the row
 */
public abstract class Shape<K, R> extends KeyOrder<K> {
    protected Shape() {}

    /** Returns the key of a row; a row always has the same key. */
    public abstract K key(R row);
}

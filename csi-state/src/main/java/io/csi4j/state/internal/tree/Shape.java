package io.csi4j.state.internal.tree;

/**
 * What a tree holds: rows that know their key.
 *
 * @param <K> the key
 * @param <R> the row
 */
public abstract class Shape<K, R> extends KeyOrder<K> {
    /** A shape; it has no state. */
    protected Shape() {}

    /**
     * A row's key.
     *
     * @return the key, always equal for the same row
     */
    public abstract K key(R row);
}

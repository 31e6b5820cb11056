package io.csi4j.state.internal.hash;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A set of rows by key, without order. Immutable: a change returns a new trie that shares the rest. Safe for use by
 * several threads, except that tries made by one edit number belong to one thread until that edit is over.
 *
 * <p>A trie of nodes with up to 32 slots each; each level uses five more bits of the key's hash. Keys with equal hashes
 * share a list at the bottom.
 *
 * <p>The store could do without it: with {@link io.csi4j.state.internal.tree.Tree} for its five indexes, the benchmark
 * {@code benchmarks/run state} with 100,000 volumes (best of three runs each, CPU time) takes a claim in 5.8 us instead
 * of 4.7 us, and takes and frees it in 15.1 us instead of 13.7 us. The heap for each volume is 9 bytes smaller then.
 *
 * @param <K> the key, with {@code equals} and {@code hashCode}
 * @param <R> the row, which knows its key
 */
public final class HashTrie<K, R> {
    private final Function<R, K> keyOf;
    private final @Nullable Branch root;

    private HashTrie(Function<R, K> keyOf, @Nullable Branch root) {
        this.keyOf = keyOf;
        this.root = root;
    }

    /**
     * A trie without rows.
     *
     * @param keyOf a row's key
     * @param <K> the key
     * @param <R> the row
     */
    public static <K, R> HashTrie<K, R> empty(Function<R, K> keyOf) {
        return new HashTrie<>(keyOf, null);
    }

    /**
     * Whether there is no row.
     *
     * @return true if empty
     */
    public boolean isEmpty() {
        return root == null;
    }

    /**
     * The row with a key.
     *
     * @return the row, or null
     */
    @SuppressWarnings("unchecked")
    public @Nullable R get(K key) {
        int hash = hash(key);
        Branch branch = root;
        int shift = 0;
        while (branch != null) {
            Object slot = branch.slot(hash, shift);
            if (slot instanceof Branch deeper) {
                branch = deeper;
                shift += Branch.BITS;
            } else if (slot instanceof Collision collision) {
                return (R) collision.get(key);
            } else {
                return slot != null && keyOf.apply((R) slot).equals(key) ? (R) slot : null;
            }
        }
        return null;
    }

    /**
     * With a row added, or put in place of the one with its key.
     *
     * @param edit the number of the transaction, above 0 and never used again by another one
     * @return the new trie; this one if the edit made its root
     */
    public HashTrie<K, R> put(long edit, R row) {
        K key = keyOf.apply(row);
        return over(with(edit, root == null ? Branch.EMPTY : root, hash(key), key, row, 0));
    }

    /**
     * Without the row of a key.
     *
     * @param edit the number of the transaction, above 0 and never used again by another one
     * @return the new trie; this one if there is no such row, or if the edit made its root and rows are left
     */
    public HashTrie<K, R> remove(long edit, K key) {
        if (root == null || get(key) == null) {
            return this;
        }
        Branch rest = without(edit, root, hash(key), key, 0);
        return over(rest.isEmpty() ? null : rest);
    }

    @SuppressWarnings("ReferenceEquality")
    private HashTrie<K, R> over(@Nullable Branch changed) {
        return changed == root ? this : new HashTrie<>(keyOf, changed);
    }

    @SuppressWarnings("unchecked")
    private Branch with(long edit, Branch branch, int hash, K key, R row, int shift) {
        Object slot = branch.slot(hash, shift);
        if (slot == null) {
            return branch.adding(hash, shift, row, edit);
        }
        Object now;
        if (slot instanceof Branch deeper) {
            now = with(edit, deeper, hash, key, row, shift + Branch.BITS);
        } else if (slot instanceof Collision collision) {
            now = collision.with(key, row);
        } else {
            K there = keyOf.apply((R) slot);
            now = there.equals(key) ? row : both(edit, there, slot, key, row, shift + Branch.BITS);
        }
        return branch.replacing(hash, shift, now, edit);
    }

    private Object both(long edit, K there, Object old, K key, R row, int shift) {
        if (shift > Branch.LAST_SHIFT) {
            return new Collision(new Object[] {there, key}, new Object[] {old, row});
        }
        Branch branch = Branch.EMPTY.adding(hash(there), shift, old, edit);
        return with(edit, branch, hash(key), key, row, shift);
    }

    private Branch without(long edit, Branch branch, int hash, K key, int shift) {
        Object slot = branch.slot(hash, shift);
        if (slot instanceof Branch deeper) {
            Branch rest = without(edit, deeper, hash, key, shift + Branch.BITS);
            // A branch that leads to one row only is replaced by the row.
            return branch.replacing(hash, shift, rest.isOneRow() ? rest.only() : rest, edit);
        }
        if (slot instanceof Collision collision) {
            return branch.replacing(hash, shift, collision.without(key), edit);
        }
        return branch.removing(hash, shift, edit);
    }

    /** Spreads what differs into the low bits, where the first slots are chosen by. */
    private static int hash(Object key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash ^ (hash >>> 16);
    }
}

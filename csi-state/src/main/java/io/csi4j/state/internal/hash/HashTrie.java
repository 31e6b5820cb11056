package io.csi4j.state.internal.hash;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A set of rows without order, found by exact key. Immutable: a change returns a new trie that shares unchanged nodes.
 * Safe for use by several threads, with one exception: within one edit, the nodes that the edit created are changed in
 * place, so its tries belong to one thread until the edit has ended.
 *
 * <p>Each node has up to 32 slots; each level uses the next five bits of the key's hash. Rows whose keys have equal
 * hashes are in one list.
 *
 * <p>This class exists for speed: with {@link io.csi4j.state.internal.tree.Tree} in its place, a claim takes 5.8 us of
 * CPU time instead of 4.7 us, and a volume needs 9 bytes less heap ({@code benchmarks/run state}, 100,000 volumes).
 *
 * @param <K> the key, with {@code equals} and {@code hashCode}
 * @param <R> the row, which contains its key
 */
public final class HashTrie<K, R> {
    private final Function<R, K> keyOf;
    private final @Nullable Branch root;

    private HashTrie(Function<R, K> keyOf, @Nullable Branch root) {
        this.keyOf = keyOf;
        this.root = root;
    }

    /**
     * Returns a trie without rows.
     *
     * @param keyOf returns the key of a row
     * @param <K> the key
     * @param <R> the row
     */
    public static <K, R> HashTrie<K, R> empty(Function<R, K> keyOf) {
        return new HashTrie<>(keyOf, null);
    }

    public boolean isEmpty() {
        return root == null;
    }

    /** Returns the row with a key, or null. */
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
     * Returns a trie with the row, which replaces a row with the same key.
     *
     * @param edit the number of the transaction; above 0, and different for each transaction
     * @return the trie with the row; this same trie, changed in place, if the edit created its root
     */
    public HashTrie<K, R> put(long edit, R row) {
        K key = keyOf.apply(row);
        return over(with(edit, root == null ? Branch.EMPTY : root, hash(key), key, row, 0));
    }

    /**
     * Returns a trie without the row of a key.
     *
     * @param edit the number of the transaction; above 0, and different for each transaction
     * @return this trie if no row has the key, or if the same edit created this trie and other rows remain; otherwise a
     *     new trie
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
            // A branch with a single row is replaced by that row.
            return branch.replacing(hash, shift, rest.isOneRow() ? rest.only() : rest, edit);
        }
        if (slot instanceof Collision collision) {
            return branch.replacing(hash, shift, collision.without(key), edit);
        }
        return branch.removing(hash, shift, edit);
    }

    /** Mixes the high bits into the low ones, because the top levels use only the low bits. */
    private static int hash(Object key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash ^ (hash >>> 16);
    }
}

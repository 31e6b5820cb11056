package io.csi4j.state.internal.tree;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over rows in order, without creating an object for each row. Used by one thread. Later changes of the tree
 * do not affect a cursor, except changes by the same edit that created the tree: they change its nodes in place.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class Cursor<K, R> {
    private final Search<K, R> search;
    private final TreeNode[] inner;
    private final int[] at;
    private int depth;
    private TreeNode leaf;
    private int next;
    private int stop;
    private @Nullable TreeNode lastLeaf;
    private int lastStop;

    Cursor(Search<K, R> search, TreeNode root) {
        this.search = search;
        this.inner = new TreeNode[depth(root)];
        this.at = new int[inner.length];
        this.leaf = root;
        descend(root, 0);
    }

    /** Moves to a position and sets the end of the iteration. Most ranges begin and end in the same leaf. */
    void range(Bound from, Bound until) {
        seek(from);
        // Goes up to a node that contains the position, because a search inside a node assumes the common prefix of the
        // node's keys.
        int level = depth;
        while (level > 0 && beyond(level, until)) {
            level--;
        }
        TreeNode node = level == depth ? leaf : inner[level];
        while (!node.isLeaf()) {
            node = node.child(search.find(node, until));
        }
        lastLeaf = node;
        lastStop = search.find(node, until);
        enter(leaf, next);
    }

    @SuppressWarnings("unchecked")
    private boolean beyond(int level, Bound bound) {
        for (int above = level - 1; above >= 0; above--) {
            Object[] separators = Insertion.separators(inner[above]);
            if (at[above] < separators.length) {
                return search.shape.compare(bound, (K) separators[at[above]]) > 0;
            }
        }
        return false;
    }

    void end() {
        lastLeaf = leaf;
        lastStop = 0;
        enter(leaf, 0);
    }

    private void seek(Bound bound) {
        TreeNode node = inner.length == 0 ? leaf : inner[0];
        for (depth = 0; !node.isLeaf(); depth++) {
            inner[depth] = node;
            at[depth] = search.find(node, bound);
            node = node.child(at[depth]);
        }
        enter(node, search.find(node, bound));
    }

    /**
     * Moves forward to a key, which must not be before the cursor's position. The move is fast if the key is near.
     *
     * @return the row of the key, or null if there is none; the next row is the first one after the key
     */
    public @Nullable R seek(K key) {
        Probe<K> probe = new Probe<>(search.shape, key);
        int level = depth;
        while (level > 0 && !holds(level, key)) {
            level--;
        }
        if (level < depth) {
            TreeNode node = inner[level];
            for (; !node.isLeaf(); level++) {
                inner[level] = node;
                int found = search.find(node, probe);
                at[level] = found >= 0 ? found + 1 : ~found;
                node = node.child(at[level]);
            }
            enter(node, 0);
        }
        int found = search.find(leaf, probe, next);
        next = found >= 0 ? found + 1 : ~found;
        return found >= 0 && found < stop ? row(found) : null;
    }

    /**
     * Takes the next key of another cursor and moves forward to its row. If both trees contain the same key objects, most rows are found
     * by comparing digests, without reading the keys.
     *
     * @param keys a cursor over keys that is not at its end; none of its keys is before this cursor's position
     * @return the row of the key, or null if there is none; the next row is the first one after the key
     */
    public @Nullable R seekNext(Cursor<K, K> keys) {
        K key = keys.next();
        int found = near(leaf, next, key, keys.leaf, keys.next - 1);
        if (found < 0 && depth > 0 && at[depth - 1] < inner[depth - 1].size() - 1 && !isLast(leaf)) {
            // Tries the next leaf before a full search, because the row is often there: in half of all moves if every
            // tenth row is read.
            TreeNode sibling = inner[depth - 1].child(at[depth - 1] + 1);
            found = near(sibling, 0, key, keys.leaf, keys.next - 1);
            if (found >= 0) {
                at[depth - 1]++;
                enter(sibling, 0);
            }
        }
        if (found < 0 || found >= stop) {
            return seek(key);
        }
        next = found + 1;
        return row(found);
    }

    /**
     * Searches a node for the key object at a position of another node ({@code elsewhere}). Starts at position
     * {@code from} and stops at the first key with another digest. Returns the position of the object in the node, or
     * -1.
     */
    @SuppressWarnings("ReferenceEquality")
    private int near(TreeNode node, int from, K key, TreeNode elsewhere, int position) {
        int lost = Byte.SIZE * (node.skip - elsewhere.skip);
        if (lost < 0 || lost >= Long.SIZE - Byte.SIZE) {
            return -1;
        }
        long digest = (elsewhere.digests[position] << lost) & Long.MAX_VALUE;
        long[] digests = node.digests;
        for (int index = Search.lowest(digests, digest, from);
                index < digests.length && ((digests[index] ^ digest) >>> lost) == 0;
                index++) {
            if (search.key(node, index) == key) {
                return index;
            }
        }
        return -1;
    }

    public boolean hasNext() {
        while (next >= stop) {
            if (isLast(leaf) || !nextLeaf()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the next row.
     *
     * @throws NoSuchElementException at the end
     */
    public R next() {
        if (next >= stop && !hasNext()) {
            throw new NoSuchElementException();
        }
        return row(next++);
    }

    /**
     * Returns whether the key belongs below the node at a level of the path; the leaf has the highest level. The key
     * must not be before the cursor's position.
     */
    @SuppressWarnings("unchecked")
    private boolean holds(int level, K key) {
        for (int above = level - 1; above >= 0; above--) {
            Object[] separators = Insertion.separators(inner[above]);
            if (at[above] < separators.length) {
                return search.shape.compare(key, (K) separators[at[above]]) < 0;
            }
        }
        return true;
    }

    private boolean nextLeaf() {
        int level = depth - 1;
        while (level >= 0 && at[level] == inner[level].size() - 1) {
            level--;
        }
        if (level < 0) {
            return false;
        }
        at[level]++;
        descend(inner[level].child(at[level]), level + 1);
        return true;
    }

    private void descend(TreeNode from, int level) {
        TreeNode node = from;
        int deep = level;
        for (; !node.isLeaf(); deep++) {
            inner[deep] = node;
            at[deep] = 0;
            node = node.child(0);
        }
        depth = deep;
        enter(node, 0);
    }

    private void enter(TreeNode node, int position) {
        leaf = node;
        next = position;
        stop = isLast(node) ? lastStop : node.size();
    }

    @SuppressWarnings("ReferenceEquality")
    private boolean isLast(TreeNode node) {
        return node == lastLeaf;
    }

    @SuppressWarnings("unchecked")
    private R row(int position) {
        return (R) leaf.items[position];
    }

    private static int depth(TreeNode root) {
        int depth = 0;
        for (TreeNode node = root; !node.isLeaf(); node = node.child(0)) {
            depth++;
        }
        return depth;
    }
}

package io.csi4j.state.internal.tree;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Walks over rows in order; allocates nothing per row. For one thread. It stays valid whatever happens to the
 * tree it came from, unless that tree is changed further by the same edit.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class Cursor<K, R> {
    private final Search<K, R> search;
    private final Node[] inner;
    private final int[] at;
    private int depth;
    private Node leaf;
    private int next;
    private int stop;
    private @Nullable Node lastLeaf;
    private int lastStop;

    Cursor(Search<K, R> search, Node root) {
        this.search = search;
        this.inner = new Node[depth(root)];
        this.at = new int[inner.length];
        this.leaf = root;
        descend(root, 0);
    }

    /**
     * Ends the walk at a place.
     *
     * @param bound rows at or after it are not visited
     */
    public void until(Bound bound) {
        Node node = inner.length == 0 ? leaf : inner[0];
        while (!node.isLeaf()) {
            node = node.child(search.find(node, bound));
        }
        lastLeaf = node;
        lastStop = search.find(node, bound);
        enter(leaf, next);
    }

    /** Leaves nothing to visit. */
    void end() {
        lastLeaf = leaf;
        lastStop = 0;
        enter(leaf, 0);
    }

    /**
     * Goes to a place, before the first row at or after it.
     *
     * @param bound where to go
     */
    public void seek(Bound bound) {
        Node node = inner.length == 0 ? leaf : inner[0];
        for (depth = 0; !node.isLeaf(); depth++) {
            inner[depth] = node;
            at[depth] = search.find(node, bound);
            node = node.child(at[depth]);
        }
        enter(node, search.find(node, bound));
    }

    /**
     * Goes forward to a key that is not before the place the cursor is at. Cheap if it is near.
     *
     * @param key the key
     * @return its row, or null if there is none; the next row is the first one after the key
     */
    public @Nullable R seek(K key) {
        Probe<K> probe = new Probe<>(search.shape, key);
        int level = depth;
        while (level > 0 && !holds(level, key)) {
            level--;
        }
        if (level < depth) {
            Node node = inner[level];
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
     * Whether there is another row.
     *
     * @return false at the end
     */
    public boolean hasNext() {
        while (next >= stop) {
            if (isLast(leaf) || !nextLeaf()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The next row.
     *
     * @return the row
     * @throws NoSuchElementException if there is none
     */
    public R next() {
        if (next >= stop && !hasNext()) {
            throw new NoSuchElementException();
        }
        return row(next++);
    }

    /** Whether the node at a level (depth: the leaf) is known to hold the key's place, which is not before the cursor's. */
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

    private void descend(Node from, int level) {
        Node node = from;
        int deep = level;
        for (; !node.isLeaf(); deep++) {
            inner[deep] = node;
            at[deep] = 0;
            node = node.child(0);
        }
        depth = deep;
        enter(node, 0);
    }

    private void enter(Node node, int position) {
        leaf = node;
        next = position;
        stop = isLast(node) ? lastStop : node.size();
    }

    @SuppressWarnings("ReferenceEquality")
    private boolean isLast(Node node) {
        return node == lastLeaf;
    }

    @SuppressWarnings("unchecked")
    private R row(int position) {
        return (R) leaf.items[position];
    }

    private static int depth(Node root) {
        int depth = 0;
        for (Node node = root; !node.isLeaf(); node = node.child(0)) {
            depth++;
        }
        return depth;
    }
}

package io.csi4j.state.internal.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The nodes from the root to a row, so that the row can be replaced without another search. Used by one thread. Valid for the tree in which
 * the row was found, and for the tree that {@link Tree#put(long, Path, Object)} returned.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class Path<K, R> {
    private static final int USUAL_DEPTH = 6;

    TreeNode[] inner = new TreeNode[USUAL_DEPTH];
    int[] at = new int[USUAL_DEPTH];
    int depth;

    @Nullable TreeNode leaf;

    int position;

    private @Nullable Tree<K, R> tree;
    private @Nullable K key;

    /** Creates a path without a row. */
    public Path() {}

    /**
     * Returns the row at the end of the path.
     *
     * @param in the tree in which the row was found
     * @param sought the key of the row
     * @return the row; null if the path belongs to another tree or to another key
     */
    @SuppressWarnings({"ReferenceEquality", "unchecked"})
    public @Nullable R row(Tree<K, R> in, K sought) {
        return leaf != null && key != null && in == tree && in.sameKey(sought, key) ? (R) leaf.items[position] : null;
    }

    void start() {
        depth = 0;
        leaf = null;
        tree = null;
    }

    void pass(TreeNode node, int child) {
        if (depth == inner.length) {
            inner = Arrays.copyOf(inner, depth * 2);
            at = Arrays.copyOf(at, depth * 2);
        }
        inner[depth] = node;
        at[depth++] = child;
    }

    void found(Tree<K, R> in, K found, TreeNode end, int position) {
        tree = in;
        key = found;
        leaf = end;
        this.position = position;
    }

    /** Replaces the row at the end of the path and returns the new root; the path then leads through the copied nodes. */
    TreeNode replace(TreeNode end, long edit, R row) {
        TreeNode node = end.forEdit(edit);
        node.items[position] = row;
        leaf = node;
        for (int level = depth - 1; level >= 0; level--) {
            TreeNode parent = inner[level].forEdit(edit);
            parent.items[at[level]] = node;
            inner[level] = parent;
            node = parent;
        }
        return node;
    }

    void leadsThrough(Tree<K, R> changed) {
        tree = changed;
    }
}

package io.csi4j.state.internal.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The way to a row that was found, so that putting another one in its place need not look for it again. For one
 * thread; holds for the tree it was found in and for the one that {@link Tree#put(long, Path, Object)} answered.
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

    /** A path that leads nowhere yet. */
    public Path() {}

    /**
     * The row at the end of the path.
     *
     * @param in the tree it must hold for
     * @param sought the key of the row
     * @return the row; null if the path was not found in this tree, or leads to another key
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

    void found(Tree<K, R> in, K found, TreeNode end, int place) {
        tree = in;
        key = found;
        leaf = end;
        position = place;
    }

    /** The root with another row at the end of the path; the path leads through the nodes of the edit from now on. */
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

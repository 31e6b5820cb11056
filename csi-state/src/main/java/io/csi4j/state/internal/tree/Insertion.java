package io.csi4j.state.internal.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Inserts one row into a tree. */
final class Insertion<K, R> {
    private final Search<K, R> search;
    private final Nodes<K, R> nodes;
    private final long edit;
    private final Probe<K> probe;
    private final R row;
    boolean added;

    Insertion(Search<K, R> search, long edit, R row) {
        this.search = search;
        this.nodes = new Nodes<>(search, edit);
        this.edit = edit;
        this.probe = new Probe<>(search.shape, search.shape.key(row));
        this.row = row;
    }

    /** Inserts the row and returns the new root; the same object if no node had to be copied. */
    TreeNode into(TreeNode root) {
        TreeNode changed = into(root, null, null);
        if (changed.size() <= TreeNode.MAX) {
            return changed;
        }
        Split<K> halves = split(changed, null, null);
        return nodes.make(new Object[] {halves.left, halves.right}, new Object[] {halves.separator}, null, null);
    }

    private TreeNode into(TreeNode node, @Nullable K low, @Nullable K high) {
        return node.isLeaf() ? intoLeaf(node) : intoInner(node, low, high);
    }

    @SuppressWarnings("ReferenceEquality")
    private TreeNode intoLeaf(TreeNode leaf) {
        int position = search.find(leaf, probe);
        if (position >= 0) {
            if (leaf.items[position] == row) {
                return leaf;
            }
            TreeNode own = leaf.forEdit(edit);
            own.items[position] = row;
            return own;
        }
        added = true;
        int at = ~position;
        TreeNode own = leaf.copy(Nodes.with(leaf.items, at, row), leaf.digests, edit);
        nodes.keyAdded(own, probe, at);
        return own;
    }

    @SuppressWarnings({"ReferenceEquality", "unchecked"})
    private TreeNode intoInner(TreeNode node, @Nullable K low, @Nullable K high) {
        Object[] separators = separators(node);
        int at = search.child(node, probe);
        TreeNode child = node.child(at);
        K childLow = at == 0 ? low : (K) separators[at - 1];
        K childHigh = at == separators.length ? high : (K) separators[at];
        TreeNode changed = into(child, childLow, childHigh);
        if (changed.size() <= TreeNode.MAX) {
            if (changed == child) {
                return node;
            }
            TreeNode own = node.forEdit(edit);
            own.items[at] = changed;
            return own;
        }
        TreeNode own = node.forEdit(edit);
        Split<K> halves = split(changed, childLow, childHigh);
        own.items[at] = halves.left;
        own.items = Nodes.with(own.items, at + 1, halves.right);
        own.separators = Nodes.with(separators, at, halves.separator);
        nodes.keyAdded(own, halves.separator, at);
        return own;
    }

    /**
     * Splits a node in the middle. If keys arrive in ascending order, the old node stays full instead, and the new node gets the minimum
     * number of items.
     */
    @SuppressWarnings({"ReferenceEquality", "unchecked"})
    private Split<K> split(TreeNode node, @Nullable K low, @Nullable K high) {
        int size = node.size();
        Object[] separators = node.separators;
        if (separators == null) {
            boolean ascending = high == null && node.items[size - 1] == row;
            int middle = ascending ? size - 1 : size / 2;
            K separator = search.key(node, middle);
            return new Split<>(
                    nodes.make(Arrays.copyOf(node.items, middle), null, low, separator),
                    nodes.make(Arrays.copyOfRange(node.items, middle, size), null, separator, high),
                    separator);
        }
        boolean ascending = high == null && node.child(size - 1).size() <= 2;
        int middle = ascending ? size - 2 : size / 2;
        K separator = (K) separators[middle - 1];
        return new Split<>(
                nodes.make(Arrays.copyOf(node.items, middle), Arrays.copyOf(separators, middle - 1), low, separator),
                nodes.make(
                        Arrays.copyOfRange(node.items, middle, size),
                        Arrays.copyOfRange(separators, middle, separators.length),
                        separator,
                        high),
                separator);
    }

    static Object[] separators(TreeNode node) {
        Object[] separators = node.separators;
        if (separators == null) {
            throw new IllegalStateException("a leaf has no separators");
        }
        return separators;
    }

    private static final class Split<K> {
        final TreeNode left;
        final TreeNode right;
        final K separator;

        Split(TreeNode left, TreeNode right, K separator) {
            this.left = left;
            this.right = right;
            this.separator = separator;
        }
    }
}

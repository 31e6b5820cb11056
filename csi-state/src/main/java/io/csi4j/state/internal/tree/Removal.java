package io.csi4j.state.internal.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Removes one row from a tree. */
final class Removal<K, R> {
    private final Search<K, R> search;
    private final Nodes<K, R> nodes;
    private final long edit;
    private final Probe<K> probe;

    Removal(Search<K, R> search, long edit, K key) {
        this.search = search;
        this.nodes = new Nodes<>(search, edit);
        this.edit = edit;
        this.probe = new Probe<>(search.shape, key);
    }

    /** Removes the row and returns the new root; null if no row has the key. */
    @Nullable TreeNode from(TreeNode root) {
        TreeNode changed = from(root, null, null);
        return changed != null && !changed.isLeaf() && changed.size() == 1 ? changed.child(0) : changed;
    }

    private @Nullable TreeNode from(TreeNode node, @Nullable K low, @Nullable K high) {
        return node.isLeaf() ? fromLeaf(node) : fromInner(node, low, high);
    }

    private @Nullable TreeNode fromLeaf(TreeNode leaf) {
        int position = search.find(leaf, probe);
        if (position < 0) {
            return null;
        }
        return leaf.copy(Nodes.without(leaf.items, position), Nodes.without(leaf.digests, position), edit);
    }

    @SuppressWarnings("unchecked")
    private @Nullable TreeNode fromInner(TreeNode node, @Nullable K low, @Nullable K high) {
        Object[] separators = Insertion.separators(node);
        int at = search.child(node, probe);
        TreeNode changed = from(
                node.child(at),
                at == 0 ? low : (K) separators[at - 1],
                at == separators.length ? high : (K) separators[at]);
        if (changed == null) {
            return null;
        }
        TreeNode own = node.forEdit(edit);
        own.items[at] = changed;
        if (changed.size() < TreeNode.MIN) {
            mend(own, separators, Math.max(at - 1, 0), low, high);
        }
        return own;
    }

    /** Merges two neighbouring children into one node; if their items do not fit into one node, distributes the items evenly. */
    @SuppressWarnings("unchecked")
    private void mend(TreeNode parent, Object[] separators, int at, @Nullable K low, @Nullable K high) {
        TreeNode left = parent.child(at);
        TreeNode right = parent.child(at + 1);
        K outerLow = at == 0 ? low : (K) separators[at - 1];
        K outerHigh = at + 1 == separators.length ? high : (K) separators[at + 1];
        Object[] items = concat(left.items, right.items);
        Object[] inner = left.isLeaf()
                ? null
                : concat(
                        Nodes.with(Insertion.separators(left), left.size() - 1, separators[at]),
                        Insertion.separators(right));
        if (items.length <= TreeNode.MAX) {
            parent.items = Nodes.without(parent.items, at + 1);
            parent.items[at] = nodes.make(items, inner, outerLow, outerHigh);
            parent.separators = Nodes.without(separators, at);
            parent.digests = Nodes.without(parent.digests, at);
            return;
        }
        int middle = items.length / 2;
        K separator = inner == null ? search.shape.key((R) items[middle]) : (K) inner[middle - 1];
        parent.items[at] = nodes.make(
                Arrays.copyOf(items, middle),
                inner == null ? null : Arrays.copyOf(inner, middle - 1),
                outerLow,
                separator);
        parent.items[at + 1] = nodes.make(
                Arrays.copyOfRange(items, middle, items.length),
                inner == null ? null : Arrays.copyOfRange(inner, middle, inner.length),
                separator,
                outerHigh);
        parent.separators = separators.clone();
        Insertion.separators(parent)[at] = separator;
        nodes.keyChanged(parent, separator, at);
    }

    private static Object[] concat(Object[] left, Object[] right) {
        Object[] joined = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, joined, left.length, right.length);
        return joined;
    }
}

package io.csi4j.state.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * A leaf (rows) or an inner node (children, and between each two of them a separator: the bound that no key
 * left of it reaches). Arrays have no slack, so that the tree is lean; a node is only changed by the edit that made it.
 *
 * <p>{@code skip} is how many units all keys of the node's range share; {@code digests} hold the units after
 * them. The range is known from the separators above, so a search that came down here shares them too and need
 * not look. Only along the tree's left and right edge the range is open ({@code edge}) and the search has to check.
 */
final class TreeNode {
    static final int MAX = 64;
    static final int MIN = MAX / 4;

    Object[] items;
    Object @Nullable [] separators;
    long[] digests;
    int skip;
    final boolean edge;
    final long edit;
    /** What the keys of an edge node share, as {@link Probe#prefix}; null: not known in that form. */
    byte @Nullable [] prefix;

    TreeNode(Object[] items, Object @Nullable [] separators, long[] digests, int skip, boolean edge, long edit) {
        this.items = items;
        this.separators = separators;
        this.digests = digests;
        this.skip = skip;
        this.edge = edge;
        this.edit = edit;
    }

    boolean isLeaf() {
        return separators == null;
    }

    int size() {
        return items.length;
    }

    TreeNode child(int index) {
        return (TreeNode) items[index];
    }

    /** This node if the edit made it, else a copy that belongs to the edit. Keys and digests are shared. */
    TreeNode forEdit(long by) {
        return edit == by ? this : copy(items.clone(), digests, by);
    }

    /** A node over the same range with other rows or children. */
    TreeNode copy(Object[] otherItems, long[] otherDigests, long by) {
        TreeNode copy = new TreeNode(otherItems, separators, otherDigests, skip, edge, by);
        copy.prefix = prefix;
        return copy;
    }
}

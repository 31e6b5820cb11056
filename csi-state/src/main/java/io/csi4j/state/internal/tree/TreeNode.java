package io.csi4j.state.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * A leaf with rows, or an inner node with children and the separators between them: each separator is greater than all keys to its
 * left. Only the edit that created a node changes it.
 *
 * <p>{@code skip} is the number of leading code units that all keys in the node's range have in common; {@code digests} hold the units
 * after them. A key that a search from the root brings to this node has the same leading units, so they are not compared, except at the
 * tree's left and right {@code edge}.
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
    /**
     * The prefix that all keys of this node have in common, in the encoding of {@link Probe#prefix}; null: not computed
     * yet.
     */
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

    /**
     * Returns this node if the edit created it, or else a copy that belongs to the edit and shares keys and digests.
     */
    TreeNode forEdit(long by) {
        return edit == by ? this : copy(items.clone(), digests, by);
    }

    /** Returns a node over the same range with other rows or children. */
    TreeNode copy(Object[] otherItems, long[] otherDigests, long by) {
        TreeNode copy = new TreeNode(otherItems, separators, otherDigests, skip, edge, by);
        copy.prefix = prefix;
        return copy;
    }
}

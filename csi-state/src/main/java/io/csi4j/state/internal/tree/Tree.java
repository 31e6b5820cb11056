package io.csi4j.state.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * An ordered set of rows, by key. Immutable: a change answers a new tree. Safe for use by many threads, except
 * that trees made by one edit number belong to one thread until that edit is over.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class Tree<K, R> {
    private final Search<K, R> search;
    private final TreeNode root;
    private final int size;

    Tree(Search<K, R> search, TreeNode root, int size) {
        this.search = search;
        this.root = root;
        this.size = size;
    }

    /**
     * A tree without rows.
     *
     * @param shape what it will hold
     * @param <K> the key
     * @param <R> the row
     */
    public static <K, R> Tree<K, R> empty(Shape<K, R> shape) {
        return new Tree<>(new Search<>(shape), new TreeNode(new Object[0], null, new long[0], 0, true, 0), 0);
    }

    /**
     * How many rows there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * Whether there is no row.
     *
     * @return true if empty
     */
    public boolean isEmpty() {
        return size == 0;
    }

    /**
     * The row with a key.
     *
     * @return the row, or null
     */
    public @Nullable R get(K key) {
        Probe<K> probe = new Probe<>(search.shape, key);
        TreeNode node = root;
        while (!node.isLeaf()) {
            node = node.child(search.child(node, probe));
        }
        int position = search.find(node, probe);
        return position < 0 ? null : row(node, position);
    }

    /**
     * The row with a key, and the way to it.
     *
     * @param path leads to the row afterwards, or nowhere if there is none
     * @return the row, or null
     */
    public @Nullable R get(K key, Path<K, R> path) {
        Probe<K> probe = new Probe<>(search.shape, key);
        path.start();
        TreeNode node = root;
        while (!node.isLeaf()) {
            int child = search.child(node, probe);
            path.pass(node, child);
            node = node.child(child);
        }
        int position = search.find(node, probe);
        if (position < 0) {
            return null;
        }
        path.found(this, key, node, position);
        return row(node, position);
    }

    /**
     * With a row put in place of the one a path leads to.
     *
     * @param edit the number of the transaction, above 0 and never used again by another one
     * @param path the way to a row of this tree
     * @param row the row, with the same key
     * @return the new tree, for which the path holds from now on
     * @throws IllegalStateException if the path leads nowhere
     */
    @SuppressWarnings("ReferenceEquality")
    public Tree<K, R> put(long edit, Path<K, R> path, R row) {
        TreeNode leaf = path.leaf;
        if (leaf == null || path.row(this, search.shape.key(row)) == null) {
            throw new IllegalStateException("Tree: the path does not lead to a row of this tree with that key");
        }
        TreeNode changed = path.replace(leaf, edit, row);
        Tree<K, R> tree = changed == root ? this : new Tree<>(search, changed, size);
        path.leadsThrough(tree);
        return tree;
    }

    /**
     * With a row added, or put in place of the one with its key.
     *
     * @param edit the number of the transaction, above 0 and never used again by another one
     * @return the new tree; this one if the row was there already
     */
    public Tree<K, R> put(long edit, R row) {
        Insertion<K, R> insertion = new Insertion<>(search, edit, row);
        TreeNode changed = insertion.into(root);
        return unchanged(changed, insertion.added ? 1 : 0)
                ? this
                : new Tree<>(search, changed, size + (insertion.added ? 1 : 0));
    }

    /**
     * Without the row of a key.
     *
     * @param edit the number of the transaction, above 0 and never used again by another one
     * @return the new tree; this one if there is no such row
     */
    public Tree<K, R> remove(long edit, K key) {
        TreeNode changed = new Removal<>(search, edit, key).from(root);
        return changed == null ? this : new Tree<>(search, changed, size - 1);
    }

    /**
     * A cursor over all rows in order, before the first.
     *
     * @return a cursor for one thread
     */
    public Cursor<K, R> cursor() {
        return new Cursor<>(search, root);
    }

    /**
     * A cursor over the rows between two places, before the first. If the end comes before the start, there are none.
     *
     * @param from where it starts
     * @param until where it ends
     * @return a cursor for one thread
     */
    public Cursor<K, R> cursor(Bound from, Bound until) {
        Cursor<K, R> cursor = new Cursor<>(search, root);
        if (from.compareTo(until) < 0) {
            cursor.range(from, until);
        } else {
            cursor.end();
        }
        return cursor;
    }

    boolean sameKey(K left, K right) {
        return search.shape.compare(left, right) == 0;
    }

    TreeNode root() {
        return root;
    }

    @SuppressWarnings("unchecked")
    private R row(TreeNode leaf, int position) {
        return (R) leaf.items[position];
    }

    @SuppressWarnings("ReferenceEquality")
    private boolean unchanged(TreeNode changed, int added) {
        return changed == root && added == 0;
    }
}

package io.csi4j.state.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * An ordered set of rows by key. Immutable: a change returns a new tree. Safe for use by many threads, with one
 * exception: within one edit, the nodes that the edit created are changed in place, so its trees belong to one thread
 * until the edit has ended.
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
     * Returns a tree without rows.
     *
     * @param shape the type of the rows
     * @param <K> the key
     * @param <R> the row
     */
    public static <K, R> Tree<K, R> empty(Shape<K, R> shape) {
        return new Tree<>(new Search<>(shape), new TreeNode(new Object[0], null, new long[0], 0, true, 0), 0);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the row with a key, or null. */
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
     * Returns the row with a key, or null, and the path to it.
     *
     * @param path is set to the path to the row; empty afterwards if there is no row
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
     * Replaces the row at the end of a path.
     *
     * @param edit the number of the transaction; above 0, and different for each transaction
     * @param path the path to a row of this tree
     * @param row the new row, with the same key
     * @return the new tree, for which the path is valid
     * @throws IllegalStateException if the path is empty
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
     * Returns a tree with the row, which replaces a row with the same key.
     *
     * @param edit the number of the transaction; above 0, and different for each transaction
     * @return the new tree; this one if it contains the row already
     */
    public Tree<K, R> put(long edit, R row) {
        Insertion<K, R> insertion = new Insertion<>(search, edit, row);
        TreeNode changed = insertion.into(root);
        return unchanged(changed, insertion.added ? 1 : 0)
                ? this
                : new Tree<>(search, changed, size + (insertion.added ? 1 : 0));
    }

    /**
     * Returns a tree without the row of a key.
     *
     * @param edit the number of the transaction; above 0, and different for each transaction
     * @return the new tree; this one if no row has the key
     */
    public Tree<K, R> remove(long edit, K key) {
        TreeNode changed = new Removal<>(search, edit, key).from(root);
        return changed == null ? this : new Tree<>(search, changed, size - 1);
    }

    /** Returns a cursor before the first row, for one thread. */
    public Cursor<K, R> cursor() {
        return new Cursor<>(search, root);
    }

    /**
     * Returns a cursor over the rows between two positions, for one thread. It has no rows if the end is before the start.
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

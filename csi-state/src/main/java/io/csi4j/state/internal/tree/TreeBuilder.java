package io.csi4j.state.internal.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a tree from its leaves to its root, from rows in ascending order of their keys, and creates each node once. Leaves are filled to
 * three quarters, so that later rows do not split them at once. Used by one thread.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class TreeBuilder<K, R> {
    private static final int FILL = TreeNode.MAX * 3 / 4;

    private final Search<K, R> search;
    private final Nodes<K, R> nodes;
    private final List<TreeNode> leaves = new ArrayList<>();
    /** The first key of each leaf except the first leaf. */
    private final List<Object> starts = new ArrayList<>();
    /** Rows that are not in a leaf yet. So many of them are kept that the last leaf gets at least the minimum number of rows. */
    private final Object[] pending = new Object[FILL + TreeNode.MIN];

    private int count;
    private int size;
    private @Nullable K last;

    /**
     * Creates a builder without rows.
     *
     * @param shape the type of the rows
     * @param edit the number of the transaction; above 0, and different for each transaction
     */
    public TreeBuilder(Shape<K, R> shape, long edit) {
        this.search = new Search<>(shape);
        this.nodes = new Nodes<>(search, edit);
    }

    /**
     * Adds a row.
     *
     * @throws IllegalArgumentException if its key is not greater than that of the row added before
     */
    public void add(R row) {
        K key = search.shape.key(row);
        K before = last;
        if (before != null && search.shape.compare(before, key) >= 0) {
            throw new IllegalArgumentException("its key, " + key + ", is not above " + before + ", the one before");
        }
        if (count == pending.length) {
            leaf(FILL);
        }
        pending[count++] = row;
        size++;
        last = key;
    }

    public int size() {
        return size;
    }

    /** Returns the tree of all rows. The builder cannot be used afterwards. */
    public Tree<K, R> build() {
        leaves.add(nodes.make(Arrays.copyOf(pending, count), null, low(), null));
        List<TreeNode> level = leaves;
        List<Object> separators = starts;
        while (level.size() > 1) {
            List<TreeNode> above = new ArrayList<>();
            List<Object> aboveSeparators = new ArrayList<>();
            int parents = (level.size() + FILL - 1) / FILL;
            for (int i = 0; i < parents; i++) {
                // Distributes the children evenly, so that each parent has at least the minimum number of children.
                int from = (int) ((long) level.size() * i / parents);
                int to = (int) ((long) level.size() * (i + 1) / parents);
                above.add(inner(level, separators, from, to));
                if (i > 0) {
                    aboveSeparators.add(separators.get(from - 1));
                }
            }
            level = above;
            separators = aboveSeparators;
        }
        return new Tree<>(search, level.get(0), size);
    }

    @SuppressWarnings("unchecked")
    private TreeNode inner(List<TreeNode> level, List<Object> separators, int from, int to) {
        return nodes.make(
                level.subList(from, to).toArray(),
                separators.subList(from, to - 1).toArray(),
                from == 0 ? null : (K) separators.get(from - 1),
                to == level.size() ? null : (K) separators.get(to - 1));
    }

    /** Creates a leaf from the first pending rows; at least one row remains pending. */
    @SuppressWarnings("unchecked")
    private void leaf(int rows) {
        K low = low();
        K high = search.shape.key((R) pending[rows]);
        leaves.add(nodes.make(Arrays.copyOf(pending, rows), null, low, high));
        starts.add(high);
        System.arraycopy(pending, rows, pending, 0, count - rows);
        count -= rows;
    }

    @SuppressWarnings("unchecked")
    private @Nullable K low() {
        return starts.isEmpty() ? null : (K) starts.get(starts.size() - 1);
    }
}

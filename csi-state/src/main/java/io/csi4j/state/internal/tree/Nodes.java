package io.csi4j.state.internal.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Creates nodes and computes the common prefix and the digests of their keys. */
final class Nodes<K, R> {
    private final Search<K, R> search;
    private final KeyOrder<K> order;
    private final long edit;

    Nodes(Search<K, R> search, long edit) {
        this.search = search;
        this.order = search.shape;
        this.edit = edit;
    }

    /**
     * Creates a node for the keys from {@code low} (null: no lower limit) up to, but excluding, {@code high} (null: no upper limit).
     */
    TreeNode make(Object[] items, Object @Nullable [] separators, @Nullable K low, @Nullable K high) {
        TreeNode node = new TreeNode(items, separators, new long[0], 0, low == null || high == null, edit);
        int count = separators == null ? items.length : separators.length;
        if (low != null && high != null) {
            node.skip = order.common(low, high);
        } else if (count > 0) {
            node.skip = order.common(search.key(node, 0), search.key(node, count - 1));
        }
        keysKnown(node, count);
        return node;
    }

    /** Updates the digests after a key was added at a position of a node that the current edit owns. */
    void keyAdded(TreeNode node, K key, int position) {
        keyAdded(node, new Probe<>(order, key), position);
    }

    void keyAdded(TreeNode node, Probe<K> probe, int position) {
        K key = probe.key;
        int count = node.separators == null ? node.items.length : node.separators.length;
        if (node.edge) {
            int shared =
                    count == 1 ? order.common(key, key) : order.common(key, search.key(node, position == 0 ? 1 : 0));
            if (count == 1 || shared < node.skip) {
                node.skip = shared;
                keysKnown(node, count);
                return;
            }
        }
        long[] grown = new long[count];
        System.arraycopy(node.digests, 0, grown, 0, position);
        grown[position] = probe.digest(node.skip);
        System.arraycopy(node.digests, position, grown, position + 1, count - position - 1);
        node.digests = grown;
    }

    /** Updates the digests after the key at a position was replaced in a node that the current edit owns. */
    void keyChanged(TreeNode node, K key, int position) {
        int count = node.digests.length;
        if (node.edge) {
            int shared =
                    count == 1 ? order.common(key, key) : order.common(key, search.key(node, position == 0 ? 1 : 0));
            if (count == 1 || shared < node.skip) {
                node.skip = shared;
                keysKnown(node, count);
                return;
            }
        }
        long[] changed = node.digests.clone();
        changed[position] = order.digest(key, node.skip);
        node.digests = changed;
    }

    static Object[] with(Object[] array, int position, Object item) {
        Object[] grown = new Object[array.length + 1];
        System.arraycopy(array, 0, grown, 0, position);
        grown[position] = item;
        System.arraycopy(array, position, grown, position + 1, array.length - position);
        return grown;
    }

    static Object[] without(Object[] array, int position) {
        Object[] shrunk = Arrays.copyOf(array, array.length - 1);
        System.arraycopy(array, position + 1, shrunk, position, shrunk.length - position);
        return shrunk;
    }

    static long[] without(long[] array, int position) {
        long[] shrunk = Arrays.copyOf(array, array.length - 1);
        System.arraycopy(array, position + 1, shrunk, position, shrunk.length - position);
        return shrunk;
    }

    private void keysKnown(TreeNode node, int count) {
        node.digests = digests(node, count);
        node.prefix = node.edge && count > 0 ? new Probe<>(order, search.key(node, 0)).prefix(node.skip) : null;
    }

    private long[] digests(TreeNode node, int count) {
        long[] digests = new long[count];
        for (int i = 0; i < count; i++) {
            digests[i] = order.digest(search.key(node, i), node.skip);
        }
        return digests;
    }
}

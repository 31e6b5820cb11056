package io.csi4j.state.internal.tree;

/** Finds keys and bounds inside one node. */
final class Search<K, R> {
    final Shape<K, R> shape;

    Search(Shape<K, R> shape) {
        this.shape = shape;
    }

    /**
     * Returns the position of the key among the node's keys; if the node does not have the key, {@code ~position} of the insertion point.
     */
    int find(TreeNode node, Probe<K> probe) {
        return find(node, probe, 0);
    }

    /** Like {@link #find(TreeNode, Probe)}, but all keys before {@code from} are known to be smaller. */
    int find(TreeNode node, Probe<K> probe, int from) {
        long[] digests = node.digests;
        int count = digests.length;
        if (count == 0) {
            // Returns the first insertion point, because the node has no keys: it is an empty leaf, or an inner node
            // with a single child.
            return ~0;
        }
        if (node.edge && !shares(node, probe)) {
            return shape.compare(probe.key, key(node, 0)) < 0 ? ~0 : ~count;
        }
        long digest = probe.digest(node.skip);
        int low = lowest(digests, digest, from);
        if (low == count || digests[low] != digest) {
            return ~low;
        }
        if (probe.isWhole(node.skip)) {
            return low;
        }
        int high = highest(digests, digest, low);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = shape.compare(probe.key, key(node, middle));
            if (order == 0) {
                return middle;
            }
            if (order > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return ~low;
    }

    private boolean shares(TreeNode edge, Probe<K> probe) {
        byte[] prefix = edge.prefix;
        return (prefix != null && probe.isNarrow())
                ? probe.startsWith(prefix)
                : shape.share(probe.key, key(edge, 0), edge.skip);
    }

    /** Returns the number of the node's keys before the bound. */
    int find(TreeNode node, Bound bound) {
        long[] digests = node.digests;
        int count = digests.length;
        if (node.edge && count > 0) {
            // Compares the bound with the node's keys, because at the edge of the tree the bound may not start with the
            // common prefix of the keys.
            if (shape.compare(bound, key(node, 0)) <= 0) {
                return 0;
            }
            if (shape.compare(bound, key(node, count - 1)) > 0) {
                return count;
            }
        }
        long digest = Probe.digest(bound, node.skip);
        int low = lowest(digests, digest, 0);
        int high = highest(digests, digest, low);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (shape.compare(bound, key(node, middle)) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the position of the child whose range contains the key. */
    int child(TreeNode node, Probe<K> probe) {
        int position = find(node, probe);
        return position >= 0 ? position + 1 : ~position;
    }

    /** Returns the leaf's key or the inner node's separator at a position. */
    @SuppressWarnings("unchecked")
    K key(TreeNode node, int index) {
        Object[] separators = node.separators;
        return separators == null ? shape.key((R) node.items[index]) : (K) separators[index];
    }

    /** Returns the end of the sequence of equal digests that starts at {@code low}; most sequences have at most one digest. */
    private static int highest(long[] digests, long digest, int low) {
        if (low == digests.length || digests[low] != digest) {
            return low;
        }
        int next = low + 1;
        if (next == digests.length || digests[next] != digest) {
            return next;
        }
        return digest == Long.MAX_VALUE ? digests.length : lowest(digests, digest + 1, next);
    }

    /**
     * Returns the first position from {@code from} on whose digest is at least the given one. The search has no
     * branches, because the processor would mispredict half of them for random keys.
     */
    static int lowest(long[] digests, long digest, int from) {
        int low = from;
        int count = digests.length - from;
        while (count > 1) {
            int half = count >>> 1;
            low += half & (int) ((digests[low + half - 1] - digest) >> 63);
            count -= half;
        }
        return count == 1 && digests[low] < digest ? low + 1 : low;
    }
}

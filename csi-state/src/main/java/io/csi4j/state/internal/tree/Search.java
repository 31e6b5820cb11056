package io.csi4j.state.internal.tree;

/** Looks for keys and bounds inside one node. */
final class Search<K, R> {
    final Shape<K, R> shape;

    Search(Shape<K, R> shape) {
        this.shape = shape;
    }

    /** The position of the key among the node's keys, or {@code ~position} of where it would be. */
    int find(Node node, K key) {
        return find(node, key, 0);
    }

    /** As {@link #find(Node, Object)}, where all keys before {@code from} are known to be smaller. */
    int find(Node node, K key, int from) {
        long[] digests = node.digests;
        int count = digests.length;
        if (node.edge && count > 0) {
            K first = key(node, 0);
            if (shape.common(key, first) < node.skip) {
                return shape.compare(key, first) < 0 ? ~0 : ~count;
            }
        }
        long digest = shape.digest(key, node.skip);
        int low = lowest(digests, digest, from);
        int high = highest(digests, digest, low);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = shape.compare(key, key(node, middle));
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

    /** How many of the node's keys come before the bound. */
    int find(Node node, Bound bound) {
        long[] digests = node.digests;
        int count = digests.length;
        if (node.edge && count > 0) {
            // An open range: the bound may differ from all keys in the units they share.
            if (shape.compare(bound, key(node, 0)) <= 0) {
                return 0;
            }
            if (shape.compare(bound, key(node, count - 1)) > 0) {
                return count;
            }
        }
        long digest = KeyOrder.digest(bound, node.skip);
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

    /** The child whose range holds the key. */
    int child(Node node, K key) {
        int position = find(node, key);
        return position >= 0 ? position + 1 : ~position;
    }

    /** The leaf's key or the inner node's separator at a position. */
    @SuppressWarnings("unchecked")
    K key(Node node, int index) {
        Object[] separators = node.separators;
        return separators == null ? shape.key((R) node.items[index]) : (K) separators[index];
    }

    /** The end of the run of equal digests that starts at {@code low}; most runs are of one or none. */
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

    private static int lowest(long[] digests, long digest, int from) {
        int low = from;
        int high = digests.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (digests[middle] < digest) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}

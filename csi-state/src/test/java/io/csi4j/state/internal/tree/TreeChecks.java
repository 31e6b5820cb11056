package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the invariants that hold in each tree after any operations. */
final class TreeChecks {
    private TreeChecks() {}

    static <K, R> void check(Tree<K, R> tree, Shape<K, R> shape) {
        int rows = check(tree.root(), shape, new Search<>(shape), null, null, depth(tree.root()), true);
        assertThat(rows).isEqualTo(tree.size());
    }

    static Set<TreeNode> nodes(Tree<?, ?> tree) {
        Set<TreeNode> nodes = new HashSet<>();
        collect(tree.root(), nodes);
        return nodes;
    }

    private static void collect(TreeNode node, Set<TreeNode> nodes) {
        nodes.add(node);
        for (int i = 0; !node.isLeaf() && i < node.size(); i++) {
            collect(node.child(i), nodes);
        }
    }

    @SuppressWarnings("unchecked")
    private static <K, R> int check(
            TreeNode node,
            Shape<K, R> shape,
            Search<K, R> search,
            @Nullable K low,
            @Nullable K high,
            int depth,
            boolean root) {
        int keys = node.isLeaf() ? node.size() : node.size() - 1;
        assertThat(node.isLeaf()).isEqualTo(depth == 0);
        assertThat(node.size()).isLessThanOrEqualTo(TreeNode.MAX);
        assertThat(node.digests).hasSize(keys);
        assertThat(node.edge).isEqualTo(low == null || high == null);
        if (!root && !node.edge) {
            assertThat(node.size()).isGreaterThanOrEqualTo(TreeNode.MIN);
        }
        for (int i = 0; i < keys; i++) {
            K key = search.key(node, i);
            // Compares without an assertion object, because there are millions of digests.
            boolean right = node.digests[i] == shape.digest(key, node.skip)
                    && shape.common(key, search.key(node, 0)) >= node.skip
                    && (low == null || shape.compare(low, key) <= 0)
                    && (high == null || shape.compare(key, high) < 0)
                    && (i == 0 || shape.compare(search.key(node, i - 1), key) < 0);
            if (!right) {
                fail("key %d of a node is wrong: %s between %s and %s, skip %d", i, key, low, high, node.skip);
            }
        }
        if (low != null && high != null) {
            assertThat(node.skip).isLessThanOrEqualTo(shape.common(low, high));
        }
        if (node.isLeaf()) {
            return keys;
        }
        assertThat(node.size()).isGreaterThan(1);
        int rows = 0;
        for (int i = 0; i < node.size(); i++) {
            K childLow = i == 0 ? low : (K) node.separators[i - 1];
            K childHigh = i == keys ? high : (K) node.separators[i];
            rows += check(node.child(i), shape, search, childLow, childHigh, depth - 1, false);
        }
        return rows;
    }

    private static int depth(TreeNode root) {
        int depth = 0;
        for (TreeNode node = root; !node.isLeaf(); node = node.child(0)) {
            depth++;
        }
        return depth;
    }
}

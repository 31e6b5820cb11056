package io.csi4j.core.volume;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map. It is a weight-balanced tree: a change creates a new tree that copies the path to the change
 * and shares the rest. The empty map is null, so that a volume without claims needs no object.
 *
 * <p>The weight of a subtree is its size plus one. One child of a node may be at most {@link #DELTA} times as heavy as
 * the other, and {@link #GAMMA} decides between a single and a double rotation. These two values keep the balance after
 * every insertion and removal.
 */
final class SortedTree<K extends Comparable<K>, V> {
    private static final int DELTA = 3;
    private static final int GAMMA = 2;

    private final K key;
    private final V value;
    private final @Nullable SortedTree<K, V> left;
    private final @Nullable SortedTree<K, V> right;
    private final int size;

    private SortedTree(K key, V value, @Nullable SortedTree<K, V> left, @Nullable SortedTree<K, V> right) {
        this.key = key;
        this.value = value;
        this.left = left;
        this.right = right;
        this.size = size(left) + size(right) + 1;
    }

    static int size(@Nullable SortedTree<?, ?> tree) {
        return tree == null ? 0 : tree.size;
    }

    static <K extends Comparable<K>, V> @Nullable V get(@Nullable SortedTree<K, V> tree, K key) {
        SortedTree<K, V> at = tree;
        while (at != null) {
            int order = key.compareTo(at.key);
            if (order == 0) {
                return at.value;
            }
            at = order < 0 ? at.left : at.right;
        }
        return null;
    }

    static <K extends Comparable<K>, V> SortedTree<K, V> put(@Nullable SortedTree<K, V> tree, K key, V value) {
        if (tree == null) {
            return new SortedTree<>(key, value, null, null);
        }
        int order = key.compareTo(tree.key);
        if (order == 0) {
            return new SortedTree<>(tree.key, value, tree.left, tree.right);
        }
        return order < 0
                ? balance(tree.key, tree.value, put(tree.left, key, value), tree.right)
                : balance(tree.key, tree.value, tree.left, put(tree.right, key, value));
    }

    /** Returns a tree without the entry for a key. If the tree does not have the key, the same tree is returned. */
    static <K extends Comparable<K>, V> @Nullable SortedTree<K, V> remove(@Nullable SortedTree<K, V> tree, K key) {
        if (tree == null) {
            return null;
        }
        int order = key.compareTo(tree.key);
        if (order < 0) {
            SortedTree<K, V> shorter = remove(tree.left, key);
            return shorter == tree.left ? tree : balance(tree.key, tree.value, shorter, tree.right);
        }
        if (order > 0) {
            SortedTree<K, V> shorter = remove(tree.right, key);
            return shorter == tree.right ? tree : balance(tree.key, tree.value, tree.left, shorter);
        }
        if (tree.left == null) {
            return tree.right;
        }
        if (tree.right == null) {
            return tree.left;
        }
        SortedTree<K, V> next = first(tree.right);
        return balance(next.key, next.value, tree.left, remove(tree.right, next.key));
    }

    K key() {
        return key;
    }

    /** Returns the entry with the smallest key. */
    static <K extends Comparable<K>, V> SortedTree<K, V> first(SortedTree<K, V> tree) {
        SortedTree<K, V> at = tree;
        while (at.left != null) {
            at = at.left;
        }
        return at;
    }

    V value() {
        return value;
    }

    static <K extends Comparable<K>, V> Iterator<SortedTree<K, V>> entries(@Nullable SortedTree<K, V> tree) {
        return new InOrder<>(tree);
    }

    static <K extends Comparable<K>, V> Iterator<V> values(@Nullable SortedTree<K, V> tree) {
        Iterator<SortedTree<K, V>> entries = entries(tree);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public V next() {
                return entries.next().value;
            }
        };
    }

    /**
     * Reports the entries that differ between two trees, in the order of the keys. Subtrees that both trees share are
     * skipped.
     */
    static <K extends Comparable<K>, V> void changes(
            @Nullable SortedTree<K, V> before,
            @Nullable SortedTree<K, V> after,
            BiConsumer<@Nullable V, @Nullable V> visitor) {
        TreeDifference.walk(before, after, visitor);
    }

    @Nullable SortedTree<K, V> left() {
        return left;
    }

    @Nullable SortedTree<K, V> right() {
        return right;
    }

    /**
     * Creates a balanced tree from a node's entry and two subtrees, one of which may have grown or shrunk by one entry.
     */
    private static <K extends Comparable<K>, V> SortedTree<K, V> balance(
            K key, V value, @Nullable SortedTree<K, V> left, @Nullable SortedTree<K, V> right) {
        int leftWeight = size(left) + 1;
        int rightWeight = size(right) + 1;
        if (right != null && rightWeight > DELTA * leftWeight) {
            return size(right.left) + 1 < GAMMA * (size(right.right) + 1)
                    ? new SortedTree<>(
                            right.key, right.value, new SortedTree<>(key, value, left, right.left), right.right)
                    : doubleLeft(key, value, left, right);
        }
        if (left != null && leftWeight > DELTA * rightWeight) {
            return size(left.right) + 1 < GAMMA * (size(left.left) + 1)
                    ? new SortedTree<>(left.key, left.value, left.left, new SortedTree<>(key, value, left.right, right))
                    : doubleRight(key, value, left, right);
        }
        return new SortedTree<>(key, value, left, right);
    }

    private static <K extends Comparable<K>, V> SortedTree<K, V> doubleLeft(
            K key, V value, @Nullable SortedTree<K, V> left, SortedTree<K, V> right) {
        SortedTree<K, V> top = inner(right.left);
        return new SortedTree<>(
                top.key,
                top.value,
                new SortedTree<>(key, value, left, top.left),
                new SortedTree<>(right.key, right.value, top.right, right.right));
    }

    private static <K extends Comparable<K>, V> SortedTree<K, V> doubleRight(
            K key, V value, SortedTree<K, V> left, @Nullable SortedTree<K, V> right) {
        SortedTree<K, V> top = inner(left.right);
        return new SortedTree<>(
                top.key,
                top.value,
                new SortedTree<>(left.key, left.value, left.left, top.left),
                new SortedTree<>(key, value, top.right, right));
    }

    /**
     * Returns the tree that becomes the new root in a double rotation. This tree is not empty in a double rotation, so
     * null is an error.
     */
    private static <K extends Comparable<K>, V> SortedTree<K, V> inner(@Nullable SortedTree<K, V> tree) {
        if (tree == null) {
            throw new IllegalStateException("SortedTree: a double rotation met an empty inner side");
        }
        return tree;
    }

    private static final class InOrder<K extends Comparable<K>, V> implements Iterator<SortedTree<K, V>> {
        /**
         * A stack with the next entry on top. Below it are those of its ancestors that the iteration has not returned
         * yet.
         */
        private @Nullable Step<K, V> path;

        InOrder(@Nullable SortedTree<K, V> tree) {
            descend(tree);
        }

        private void descend(@Nullable SortedTree<K, V> tree) {
            for (SortedTree<K, V> at = tree; at != null; at = at.left) {
                path = new Step<>(at, path);
            }
        }

        @Override
        public boolean hasNext() {
            return path != null;
        }

        @Override
        public SortedTree<K, V> next() {
            Step<K, V> step = path;
            if (step == null) {
                throw new NoSuchElementException();
            }
            path = step.above;
            descend(step.tree.right);
            return step.tree;
        }

        private record Step<K extends Comparable<K>, V>(
                SortedTree<K, V> tree, @Nullable Step<K, V> above) {}
    }
}

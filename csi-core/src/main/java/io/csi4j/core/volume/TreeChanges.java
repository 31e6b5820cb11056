package io.csi4j.core.volume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds what differs between two versions of a tree. What they share is skipped whole, so the work grows with
 * the number of changes and not with the size of the trees.
 */
final class TreeChanges<K extends Comparable<K>, V> {
    private final Deque<Part<K, V>> older = new ArrayDeque<>();
    private final Deque<Part<K, V>> newer = new ArrayDeque<>();

    private TreeChanges() {}

    /** Calls back for each key, in order, whose value is not the same object: (before or null, after or null). */
    static <K extends Comparable<K>, V> void between(
            @Nullable SortedTree<K, V> older,
            @Nullable SortedTree<K, V> newer,
            BiConsumer<@Nullable V, @Nullable V> change) {
        TreeChanges<K, V> changes = new TreeChanges<>();
        push(changes.older, older);
        push(changes.newer, newer);
        while (changes.step(change)) {
            // Each step takes one part from one side or both.
        }
    }

    private boolean step(BiConsumer<@Nullable V, @Nullable V> change) {
        Part<K, V> before = older.peek();
        Part<K, V> after = newer.peek();
        if (before == null && after == null) {
            return false;
        }
        if (before != null && after != null && before.same(after)) {
            older.pop();
            newer.pop();
        } else if (before != null && before.whole && (after == null || !after.whole || before.size() >= after.size())) {
            open(older);
        } else if (after != null && after.whole) {
            open(newer);
        } else {
            compare(before, after, change);
        }
        return true;
    }

    private void compare(
            @Nullable Part<K, V> before, @Nullable Part<K, V> after, BiConsumer<@Nullable V, @Nullable V> change) {
        int order = before == null ? 1 : after == null ? -1 : before.tree.key().compareTo(after.tree.key());
        V old = before != null && order <= 0 ? before.tree.value() : null;
        V now = after != null && order >= 0 ? after.tree.value() : null;
        if (order <= 0) {
            older.pop();
        }
        if (order >= 0) {
            newer.pop();
        }
        if (old != now) {
            change.accept(old, now);
        }
    }

    private static <K extends Comparable<K>, V> void open(Deque<Part<K, V>> side) {
        SortedTree<K, V> tree = side.pop().tree;
        push(side, tree.right());
        side.push(new Part<>(tree, false));
        push(side, tree.left());
    }

    private static <K extends Comparable<K>, V> void push(Deque<Part<K, V>> side, @Nullable SortedTree<K, V> tree) {
        if (tree != null) {
            side.push(new Part<>(tree, true));
        }
    }

    /** A whole subtree, or only the entry at its top. */
    private record Part<K extends Comparable<K>, V>(SortedTree<K, V> tree, boolean whole) {
        @SuppressWarnings("ReferenceEquality")
        boolean same(Part<K, V> other) {
            return tree == other.tree && whole == other.whole;
        }

        int size() {
            return SortedTree.size(tree);
        }
    }
}

package io.csi4j.core.volume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the differences between two trees in the order of their keys. It skips subtrees that both trees share, so that
 * the cost depends on the number of differences.
 */
final class TreeDifference<K extends Comparable<K>, V> {
    /**
     * The parts of one tree that have not been compared yet. A part is a whole subtree or a single entry; the part with
     * the smallest keys is on top of the stack.
     */
    private static final class Rest<K extends Comparable<K>, V> {
        private final Deque<Part<K, V>> parts = new ArrayDeque<>();

        Rest(@Nullable SortedTree<K, V> tree) {
            push(tree);
        }

        private void push(@Nullable SortedTree<K, V> tree) {
            if (tree != null) {
                parts.push(new Part<>(tree, true));
            }
        }

        /** Replaces the subtree on top of the stack by its left child, its own entry and its right child. */
        void open() {
            SortedTree<K, V> tree = parts.pop().tree();
            push(tree.right());
            parts.push(new Part<>(tree, false));
            push(tree.left());
        }
    }

    private record Part<K extends Comparable<K>, V>(SortedTree<K, V> tree, boolean whole) {}

    private final Rest<K, V> before;
    private final Rest<K, V> after;
    private final BiConsumer<@Nullable V, @Nullable V> visitor;

    private TreeDifference(Rest<K, V> before, Rest<K, V> after, BiConsumer<@Nullable V, @Nullable V> visitor) {
        this.before = before;
        this.after = after;
        this.visitor = visitor;
    }

    @SuppressWarnings("ReferenceEquality")
    static <K extends Comparable<K>, V> void walk(
            @Nullable SortedTree<K, V> before,
            @Nullable SortedTree<K, V> after,
            BiConsumer<@Nullable V, @Nullable V> visitor) {
        if (before == after) {
            return;
        }
        if (before != null && after != null && before.key().equals(after.key())) {
            // Compares the subtrees in pairs, because both roots have the same key. Most roots do, because a change
            // keeps most of the tree.
            walk(before.left(), after.left(), visitor);
            visit(before.value(), after.value(), visitor);
            walk(before.right(), after.right(), visitor);
        } else if (SortedTree.size(before) + SortedTree.size(after) == 1) {
            visitor.accept(before == null ? null : before.value(), after == null ? null : after.value());
        } else {
            new TreeDifference<>(new Rest<>(before), new Rest<>(after), visitor).walk();
        }
    }

    private static <V> void visit(@Nullable V was, @Nullable V is, BiConsumer<@Nullable V, @Nullable V> visitor) {
        if (!Objects.equals(was, is)) {
            visitor.accept(was, is);
        }
    }

    private void walk() {
        while (true) {
            Part<K, V> old = before.parts.peek();
            Part<K, V> now = after.parts.peek();
            if (old == null && now == null) {
                return;
            }
            if (old != null && now != null && old.whole() && now.whole() && old.tree() == now.tree()) {
                before.parts.pop();
                after.parts.pop();
            } else if (old != null && old.whole() && !(now != null && now.whole() && larger(now, old))) {
                before.open();
            } else if (now != null && now.whole()) {
                after.open();
            } else {
                compare(old, now);
            }
        }
    }

    private static boolean larger(Part<?, ?> one, Part<?, ?> other) {
        return SortedTree.size(one.tree()) > SortedTree.size(other.tree());
    }

    private void compare(@Nullable Part<K, V> old, @Nullable Part<K, V> now) {
        int order = old == null
                ? 1
                : now == null ? -1 : old.tree().key().compareTo(now.tree().key());
        V was = old == null || order > 0 ? null : old.tree().value();
        V is = now == null || order < 0 ? null : now.tree().value();
        if (order <= 0) {
            before.parts.pop();
        }
        if (order >= 0) {
            after.parts.pop();
        }
        visit(was, is, visitor);
    }
}

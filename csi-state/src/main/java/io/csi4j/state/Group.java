package io.csi4j.state;

import io.csi4j.state.internal.tree.Tree;
import org.jspecify.annotations.Nullable;

/**
 * One entry of an index: a value, and the keys of all rows that have this value in common. The entry contains no rows,
 * so that the index is small and stays the same when a row changes but keeps its keys.
 */
record Group<G, K>(G by, Tree<K, K> members) {
    static <G, K> Tree<G, Group<G, K>> add(Tree<G, Group<G, K>> index, long edit, G by, K member, Tree<K, K> none) {
        Group<G, K> group = index.get(by);
        Tree<K, K> members = group == null ? none : group.members;
        Tree<K, K> more = members.put(edit, member);
        return index.put(edit, new Group<>(group == null ? by : group.by, more));
    }

    static <G, K> Tree<G, Group<G, K>> remove(Tree<G, Group<G, K>> index, long edit, G by, K member) {
        Group<G, K> group = index.get(by);
        if (group == null) {
            return index;
        }
        Tree<K, K> fewer = group.members.remove(edit, member);
        return fewer.isEmpty() ? index.remove(edit, by) : index.put(edit, new Group<>(group.by, fewer));
    }

    static <G, K> @Nullable Tree<K, K> members(Tree<G, Group<G, K>> index, G by) {
        Group<G, K> group = index.get(by);
        return group == null ? null : group.members;
    }
}

package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class SortedTreeTest {
    private static RandomGenerator random() {
        long seed = Long.getLong("csi4j.seed", 1);
        System.out.println("SortedTreeTest seed " + seed);
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static Map<Integer, String> asMap(SortedTree<Integer, String> tree) {
        TreeMap<Integer, String> map = new TreeMap<>();
        List<Integer> order = new ArrayList<>();
        SortedTree.entries(tree).forEachRemaining(entry -> {
            map.put(entry.key(), entry.value());
            order.add(entry.key());
        });
        assertThat(order).isSorted().doesNotHaveDuplicates();
        return map;
    }

    /** The height, having checked that each node is in balance and knows its size. */
    private static int height(SortedTree<?, ?> tree) {
        if (tree == null) {
            return 0;
        }
        int left = SortedTree.size(tree.left());
        int right = SortedTree.size(tree.right());
        assertThat(SortedTree.size(tree)).isEqualTo(left + right + 1);
        assertThat(left + 1).isLessThanOrEqualTo(3 * (right + 1));
        assertThat(right + 1).isLessThanOrEqualTo(3 * (left + 1));
        return 1 + Math.max(height(tree.left()), height(tree.right()));
    }

    private static Set<Object> nodes(SortedTree<?, ?> tree) {
        Set<Object> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(tree, nodes);
        return nodes;
    }

    private static void collect(SortedTree<?, ?> tree, Set<Object> nodes) {
        if (tree != null && nodes.add(tree)) {
            collect(tree.left(), nodes);
            collect(tree.right(), nodes);
        }
    }

    @Test
    void treeBehavesLikeTreeMapAndStaysBalanced() {
        RandomGenerator random = random();
        for (int range : new int[] {3, 10, 100, 1000}) {
            SortedTree<Integer, String> tree = null;
            TreeMap<Integer, String> model = new TreeMap<>();
            for (int i = 0; i < 4000; i++) {
                int key = random.nextInt(range);
                SortedTree<Integer, String> before = tree;
                Map<Integer, String> was = i % 100 == 0 ? asMap(before) : null;
                if (random.nextInt(i % 2000 < 1000 ? 3 : 2) > 0) {
                    tree = SortedTree.put(tree, key, "v" + i);
                    model.put(key, "v" + i);
                } else {
                    tree = SortedTree.remove(tree, key);
                    if (model.remove(key) == null) {
                        assertThat(tree)
                                .as("removing an absent key changes nothing")
                                .isSameAs(before);
                    }
                }
                assertThat(SortedTree.get(tree, key)).isEqualTo(model.get(key));
                assertThat(SortedTree.size(tree)).isEqualTo(model.size());
                if (was != null) {
                    assertThat(asMap(before))
                            .as("the previous version is unchanged")
                            .isEqualTo(was);
                    assertThat(asMap(tree)).isEqualTo(model);
                    assertThat(height(tree)).isLessThanOrEqualTo(25);
                }
            }
        }
    }

    @Test
    void treeStaysBalancedForAscendingAndDescendingKeys() {
        SortedTree<Integer, String> up = null;
        SortedTree<Integer, String> down = null;
        for (int i = 0; i < 1000; i++) {
            up = SortedTree.put(up, i, "v");
            down = SortedTree.put(down, -i, "v");
        }
        assertThat(height(up)).isLessThanOrEqualTo(24);
        assertThat(height(down)).isLessThanOrEqualTo(24);
        for (int i = 0; i < 990; i++) {
            up = SortedTree.remove(up, i);
            height(up);
        }
        assertThat(SortedTree.size(up)).isEqualTo(10);
    }

    @Test
    void addingOrRemovingKeyCopiesOnlyNodesOnPathToThatKey() {
        SortedTree<Integer, String> tree = null;
        for (int i = 0; i < 10_000; i++) {
            tree = SortedTree.put(tree, i * 2, "v");
        }
        Set<Object> before = nodes(tree);
        for (int key : new int[] {-1, 1, 9_999, 20_001, 4_000}) {
            Set<Object> after = nodes(SortedTree.put(tree, key, "w"));
            after.removeAll(before);
            assertThat(after).as("new nodes for key %s", key).hasSizeLessThan(40);
        }
        Set<Object> without = nodes(SortedTree.remove(tree, 10_000));
        without.removeAll(before);
        assertThat(without).hasSizeLessThan(60);
    }

    @Test
    void treeComparisonReportsExactDifferences() {
        RandomGenerator random = random();
        for (int round = 0; round < 300; round++) {
            SortedTree<Integer, String> before = null;
            int size = random.nextInt(200);
            for (int i = 0; i < size; i++) {
                before = SortedTree.put(before, random.nextInt(300), "v" + i);
            }
            SortedTree<Integer, String> after = before;
            for (int i = random.nextInt(30); i > 0; i--) {
                after = random.nextBoolean()
                        ? SortedTree.put(after, random.nextInt(300), "w" + i)
                        : SortedTree.remove(after, random.nextInt(300));
            }
            Map<Integer, String> old = asMap(before);
            Map<Integer, String> now = asMap(after);
            List<String> expected = new ArrayList<>();
            TreeMap<Integer, String> all = new TreeMap<>(old);
            all.putAll(now);
            all.keySet().stream()
                    .filter(key -> !java.util.Objects.equals(old.get(key), now.get(key)))
                    .forEach(key -> expected.add(old.get(key) + ">" + now.get(key)));
            List<String> reported = new ArrayList<>();
            SortedTree.changes(before, after, (was, is) -> reported.add(was + ">" + is));
            assertThat(reported).isEqualTo(expected);
        }
    }

    @Test
    void comparisonSkipsSharedSubtrees() {
        SortedTree<Counted, String> before = null;
        for (int i = 0; i < 10_000; i++) {
            before = SortedTree.put(before, new Counted(i * 2), "v");
        }
        SortedTree<Counted, String> after =
                SortedTree.put(SortedTree.remove(before, new Counted(9_000)), new Counted(9_001), "w");
        Counted.compared = 0;
        List<String> reported = new ArrayList<>();
        SortedTree.changes(before, after, (was, is) -> reported.add(was + ">" + is));
        assertThat(reported).containsExactly("v>null", "null>w");
        assertThat(Counted.compared).as("keys compared").isLessThan(100);
    }

    /** A key that counts how often keys are compared. */
    private record Counted(int number) implements Comparable<Counted> {
        private static int compared;

        @Override
        public int compareTo(Counted other) {
            compared++;
            return Integer.compare(number, other.number);
        }
    }
}

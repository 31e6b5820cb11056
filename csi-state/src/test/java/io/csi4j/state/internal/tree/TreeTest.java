package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TreeTest {
    /** The number of random operations; {@code -Dcsi4j.tree.operations=20000000} makes the long run. */
    private static final long OPERATIONS = Long.getLong("csi4j.tree.operations", 200_000);

    /** The initial number of rows, which is large enough for inner nodes that are not at an edge. */
    private static final int ROWS = 8_000;

    /** The number of operations for which the tree grows or shrinks. */
    private static final int PHASE = 10_000;

    private long edit;

    /** The kinds of keys; their common prefixes decide which branch of the search code is tested. */
    enum Keys {
        DENSE {
            @Override
            Row next(SplittableRandom random) {
                return Row.key("default", "volume-" + (100_000 + random.nextInt(20_000)));
            }
        },
        SPACES {
            @Override
            Row next(SplittableRandom random) {
                return Row.key("space-" + random.nextInt(40), "v" + random.nextInt(600));
            }
        },
        LONG_RUNS {
            @Override
            Row next(SplittableRandom random) {
                String middle = "0123456789abcdef".repeat(random.nextInt(3));
                return Row.key("s", (char) ('a' + random.nextInt(3)) + middle + random.nextInt(3_000));
            }
        },
        WILD {
            @Override
            Row next(SplittableRandom random) {
                StringBuilder id = new StringBuilder();
                int length = random.nextInt(6);
                for (int i = 0; i < length; i++) {
                    id.append("aA\u00fe\u00ff\u0100\u4e00\ud83d\uffff".charAt(random.nextInt(8)));
                }
                return Row.key(random.nextBoolean() ? "\u00e9" : "\u4e01", id.toString());
            }
        };

        abstract Row next(SplittableRandom random);
    }

    private record Frozen(Tree<Row, Row> tree, NavigableMap<Row, Row> rows) {}

    @ParameterizedTest
    @EnumSource
    void treeEqualsTreeMapAfterRandomOperations(Keys keys) {
        SplittableRandom random = Seeds.next("TreeTest " + keys);
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        TreeMap<Row, Row> oracle = new TreeMap<>(Row::byKey);
        List<Frozen> snapshots = new ArrayList<>();
        edit = 1;
        while (oracle.size() < ROWS) {
            Row row = keys.next(random);
            tree = tree.put(edit, row);
            oracle.remove(row);
            oracle.put(row, row);
        }
        TreeChecks.check(tree, Row.SHAPE);
        long operations = OPERATIONS / Keys.values().length;
        for (long i = 0; i < operations; i++) {
            Row key = keys.next(random);
            // The tree alternately grows and shrinks, so that nodes are split, balanced and merged.
            boolean shrinking = i / PHASE % 2 == 0;
            if (random.nextInt(100) < (shrinking ? 75 : 25)) {
                Row near = random.nextBoolean() ? oracle.ceilingKey(key) : null;
                Row gone = near == null ? key : near;
                int before = tree.size();
                tree = tree.remove(edit, gone);
                if (before - tree.size() != (oracle.remove(gone) == null ? 0 : 1)) {
                    fail("removal %d of %s", i, gone);
                }
            } else {
                Row row = key.with(random.nextInt());
                tree = tree.put(edit, row);
                // Removes the row first, because a map keeps the old key of a replaced row.
                oracle.remove(row);
                oracle.put(row, row);
            }
            if (!same(tree.get(key), oracle.get(key))) {
                fail("operation %d: %s is %s, not %s", i, key, tree.get(key), oracle.get(key));
            }
            if (random.nextInt(20) == 0) {
                edit++;
            }
            if (random.nextInt(2_000) == 0) {
                TreeChecks.check(tree, Row.SHAPE);
                assertSameRange(tree, oracle, keys.next(random), keys.next(random), random);
            }
            if (random.nextInt(8_000) == 0) {
                snapshots.add(new Frozen(tree, new TreeMap<>(oracle)));
                edit++;
            }
        }
        snapshots.add(new Frozen(tree, new TreeMap<>(oracle)));
        edit++;
        drain(tree, oracle, random);
        for (Frozen frozen : snapshots) {
            TreeChecks.check(frozen.tree, Row.SHAPE);
            assertSame(rows(frozen.tree.cursor()), frozen.rows.values());
        }
    }

    /** Removes all rows, in groups of neighbours in random order, so that an almost empty node is beside a full one. */
    private void drain(Tree<Row, Row> full, NavigableMap<Row, Row> oracle, SplittableRandom random) {
        List<List<Row>> runs = new ArrayList<>();
        List<Row> keys = List.copyOf(oracle.keySet());
        for (int from = 0; from < keys.size(); ) {
            int to = Math.min(keys.size(), from + random.nextInt(1, 100));
            runs.add(keys.subList(from, to));
            from = to;
        }
        Collections.shuffle(runs, new Random(random.nextLong()));
        List<Row> left = runs.stream().flatMap(List::stream).toList();
        Tree<Row, Row> tree = full;
        for (int i = 0; i < left.size(); i++) {
            if (random.nextInt(20) == 0) {
                edit++;
            }
            tree = tree.remove(edit, left.get(i));
            oracle.remove(left.get(i));
            if (i % 1_000 == 0 || oracle.size() < 20) {
                TreeChecks.check(tree, Row.SHAPE);
                assertSame(rows(tree.cursor()), oracle.values());
            }
        }
        assertThat(tree.isEmpty()).isTrue();
    }

    private static void assertSameRange(
            Tree<Row, Row> tree, NavigableMap<Row, Row> oracle, Row a, Row b, SplittableRandom random) {
        String from = Row.SHAPE.text(a);
        String prefix = from.substring(0, random.nextInt(from.length() + 1));
        List<Row> expected = oracle.values().stream()
                .filter(row -> Row.SHAPE.text(row).startsWith(prefix))
                .toList();
        assertSame(rows(tree.cursor(Bound.at(prefix), Bound.past(prefix))), expected);

        List<Row> range = Row.byKey(a, b) < 0 ? List.copyOf(oracle.subMap(a, b).values()) : List.of();
        assertSame(rows(tree.cursor(Bound.at(from), Bound.at(Row.SHAPE.text(b)))), range);

        List<Row> after = List.copyOf(oracle.tailMap(a, false).values());
        assertSame(rows(tree.cursor(Bound.after(from), Bound.past(""))), after);

        // Moves forward by steps of all sizes, to existing and to missing keys.
        Cursor<Row, Row> cursor = tree.cursor();
        Iterator<Row> keys = oracle.keySet().iterator();
        int stride = 1 + random.nextInt(200);
        while (keys.hasNext()) {
            Row key = keys.next();
            for (int skip = random.nextInt(stride); skip > 0 && keys.hasNext(); skip--) {
                key = keys.next();
            }
            if (random.nextInt(4) == 0) {
                Row absent = Row.key(key.space(), key.id() + "\u0001");
                if (!oracle.containsKey(absent)) {
                    if (cursor.seek(absent) != null) {
                        fail("%s is not there", absent);
                    }
                }
            } else {
                if (!same(cursor.seek(key), oracle.get(key))) {
                    fail("%s is there", key);
                }
                if (random.nextInt(8) == 0) {
                    Row next = oracle.higherKey(key);
                    assertThat(cursor.hasNext()).isEqualTo(next != null);
                    if (next != null) {
                        assertThat(cursor.next()).isSameAs(oracle.get(next));
                        while (keys.hasNext() && Row.byKey(key, next) < 0) {
                            key = keys.next();
                        }
                    }
                }
            }
        }
    }

    @Test
    void changeCopiesOnlyNodesOnPathToRow() {
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        for (int i = 0; i < 100_000; i++) {
            tree = tree.put(1, Row.key("n", "v" + (1_000_000 + i * 7919 % 100_000)));
        }
        Set<TreeNode> before = TreeChecks.nodes(tree);
        Tree<Row, Row> changed = tree.put(2, Row.key("n", "v1050000").with(1));
        Set<TreeNode> after = TreeChecks.nodes(changed);
        after.removeAll(before);
        assertThat(before.size()).isGreaterThan(1_500);
        assertThat(after.size()).isLessThanOrEqualTo(4);
        assertThat(tree.get(Row.key("n", "v1050000")).value()).isZero();
        assertThat(changed.get(Row.key("n", "v1050000")).value()).isOne();
    }

    @Test
    void editCopiesEachNodeAtMostOnce() {
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        for (int i = 0; i < 10_000; i++) {
            tree = tree.put(1, Row.key("n", "v" + (10_000 + i)));
        }
        Tree<Row, Row> once = tree.put(2, Row.key("n", "v15000").with(1));
        Set<TreeNode> copied = TreeChecks.nodes(once);
        Tree<Row, Row> twice = once.put(2, Row.key("n", "v15001").with(1));
        assertThat(TreeChecks.nodes(twice)).isEqualTo(copied);
        assertThat(tree.get(Row.key("n", "v15001")).value()).isZero();
    }

    @Test
    void ascendingInsertsFillLeafNodes() {
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        for (int i = 0; i < 64_000; i++) {
            tree = tree.put(1, Row.key("n", "v" + (100_000 + i)));
        }
        TreeChecks.check(tree, Row.SHAPE);
        assertThat(TreeChecks.nodes(tree).size()).isLessThan(1_030);
    }

    @Test
    void puttingSameRowReturnsSameTree() {
        Row row = Row.key("n", "v");
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE).put(1, row);
        assertThat(tree.put(2, row)).isSameAs(tree);
        assertThat(tree.remove(2, Row.key("n", "w"))).isSameAs(tree);
        assertThat(tree.remove(2, row).isEmpty()).isTrue();
    }

    @Test
    void emptiedTreeAcceptsKeyShorterThanRemovedKey() {
        Row last = Row.key("n", "v".repeat(100));
        Tree<Row, Row> emptied = Tree.empty(Row.SHAPE).put(1, last).remove(2, last);
        Row row = Row.key("n", "v");
        assertThat(emptied.get(row)).isNull();
        assertThat(emptied.remove(3, row)).isSameAs(emptied);
        assertThat(emptied.put(3, row).get(row)).isSameAs(row);
    }

    @Test
    void readingPastEndOfCursorThrowsException() {
        Cursor<Row, Row> cursor = Tree.empty(Row.SHAPE).cursor();
        assertThat(cursor.hasNext()).isFalse();
        assertThatThrownBy(cursor::next).isInstanceOf(NoSuchElementException.class);
    }

    /** Checks that both have the same row objects, without an assertion for each of millions of rows. */
    private static void assertSame(List<Row> rows, Collection<Row> expected) {
        Iterator<Row> others = expected.iterator();
        boolean same = rows.size() == expected.size();
        for (int i = 0; same && i < rows.size(); i++) {
            same = same(rows.get(i), others.next());
        }
        if (!same) {
            assertThat(rows).containsExactlyElementsOf(expected);
            fail("rows are equal to the expected ones, and not the same objects");
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean same(Row a, Row b) {
        return a == b;
    }

    private static List<Row> rows(Cursor<Row, Row> cursor) {
        List<Row> rows = new ArrayList<>();
        while (cursor.hasNext()) {
            rows.add(cursor.next());
        }
        return rows;
    }
}

package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TreeBuilderTest {
    @Test
    void builtTreeOfAnySizeIsValid() {
        for (int size : Stream.of(
                        IntStream.rangeClosed(0, 400),
                        IntStream.rangeClosed(48 * 48 - 70, 48 * 48 + 70),
                        IntStream.of(48 * 64 + 17, 10_000, 48 * 48 * 48 + 1))
                .flatMapToInt(part -> part)
                .toArray()) {
            TreeBuilder<Row, Row> builder = new TreeBuilder<>(Row.SHAPE, 1);
            for (int i = 0; i < size; i++) {
                builder.add(Row.key("default", String.format("volume-%08d", i)));
            }
            assertThat(builder.size()).isEqualTo(size);
            Tree<Row, Row> tree = builder.build();
            TreeChecks.check(tree, Row.SHAPE);
            assertThat(tree.size()).isEqualTo(size);
            Cursor<Row, Row> cursor = tree.cursor();
            for (int i = 0; i < size; i++) {
                if (!cursor.next().id().equals(String.format("volume-%08d", i))) {
                    throw new AssertionError("of " + size + " rows, row " + i + " is wrong");
                }
            }
            assertThat(cursor.hasNext()).isFalse();
        }
    }

    @Test
    void builtTreeCanBeChanged() {
        for (TreeTest.Keys keys : TreeTest.Keys.values()) {
            SplittableRandom random = Seeds.next("TreeBuilderTest " + keys);
            TreeMap<Row, Row> oracle = new TreeMap<>(Row::byKey);
            for (int i = 0; i < 6_000; i++) {
                Row row = keys.next(random);
                oracle.put(row, row);
            }
            TreeBuilder<Row, Row> builder = new TreeBuilder<>(Row.SHAPE, 1);
            oracle.values().forEach(builder::add);
            Tree<Row, Row> built = builder.build();
            List<Row> before = new ArrayList<>(oracle.values());
            Tree<Row, Row> tree = built;
            for (int i = 0; i < 6_000; i++) {
                Row row = keys.next(random).with(i);
                int edit = 2 + i / 100;
                if (random.nextInt(3) > 0) {
                    tree = tree.remove(edit, row);
                    oracle.remove(row);
                } else {
                    tree = tree.put(edit, row);
                    oracle.remove(row);
                    oracle.put(row, row);
                }
                assertThat(tree.get(row)).isEqualTo(oracle.get(row));
            }
            TreeChecks.check(tree, Row.SHAPE);
            assertThat(rows(tree)).isEqualTo(new ArrayList<>(oracle.values()));
            TreeChecks.check(built, Row.SHAPE);
            assertThat(rows(built)).isEqualTo(before);
        }
    }

    @Test
    void builderRefusesRowsOutOfOrder() {
        TreeBuilder<Row, Row> builder = new TreeBuilder<>(Row.SHAPE, 1);
        builder.add(Row.key("default", "b"));
        assertThatThrownBy(() -> builder.add(Row.key("default", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not above");
        assertThatThrownBy(() -> builder.add(Row.key("default", "a"))).isInstanceOf(IllegalArgumentException.class);
        builder.add(Row.key("default", "c"));
        assertThat(rows(builder.build())).extracting(Row::id).containsExactly("b", "c");
    }

    private static List<Row> rows(Tree<Row, Row> tree) {
        List<Row> rows = new ArrayList<>();
        Cursor<Row, Row> cursor = tree.cursor();
        while (cursor.hasNext()) {
            rows.add(cursor.next());
        }
        return rows;
    }
}

package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Joins two trees: one with rows, and one with some of their keys. */
class CursorJoinTest {
    @ParameterizedTest
    @EnumSource
    void joinOfCursorsReturnsRowsOfCommonKeys(TreeTest.Keys keys) {
        SplittableRandom random = Seeds.next("CursorJoinTest " + keys);
        for (int share = 1; share <= 64; share *= 4) {
            Tree<Row, Row> rows = Tree.empty(Row.SHAPE);
            Tree<Row, Row> some = Tree.empty(Row.SHAPE);
            for (int i = 0; i < 20_000; i++) {
                Row row = keys.next(random);
                if (rows.get(row) == null) {
                    rows = rows.put(1, row);
                    if (random.nextInt(share) == 0) {
                        // Some keys are equal but not the same object.
                        some = some.put(1, random.nextInt(4) == 0 ? Row.key(row.space(), row.id()) : row);
                    }
                }
            }
            assertThat(joined(rows, some)).isEqualTo(all(some));
        }
    }

    @Test
    void joinOfCursorsReturnsNullForKeysWithoutRow() {
        Tree<Row, Row> rows = Tree.empty(Row.SHAPE);
        Tree<Row, Row> some = Tree.empty(Row.SHAPE);
        for (int i = 0; i < 1_000; i++) {
            Row row = Row.key("n", "v" + (1_000 + i));
            some = some.put(1, row);
            rows = i % 3 == 0 ? rows : rows.put(1, row);
        }
        Cursor<Row, Row> keys = some.cursor();
        Cursor<Row, Row> cursor = rows.cursor();
        for (int i = 0; i < 1_000; i++) {
            assertThat(cursor.seekNext(keys)).isEqualTo(i % 3 == 0 ? null : Row.key("n", "v" + (1_000 + i)));
        }
        assertThat(keys.hasNext()).isFalse();
    }

    private static List<Row> joined(Tree<Row, Row> rows, Tree<Row, Row> some) {
        List<Row> found = new ArrayList<>();
        Cursor<Row, Row> keys = some.cursor();
        Cursor<Row, Row> cursor = rows.cursor();
        while (keys.hasNext()) {
            found.add(cursor.seekNext(keys));
        }
        return found;
    }

    private static List<Row> all(Tree<Row, Row> tree) {
        List<Row> all = new ArrayList<>();
        Cursor<Row, Row> cursor = tree.cursor();
        while (cursor.hasNext()) {
            all.add(cursor.next());
        }
        return all;
    }
}

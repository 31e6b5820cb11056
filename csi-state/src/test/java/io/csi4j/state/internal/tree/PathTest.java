package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PathTest {
    private final SplittableRandom random = Seeds.next("PathTest");

    @Test
    void putWithRememberedPathEqualsPutWithKey() {
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        TreeMap<Row, Row> oracle = new TreeMap<>(Row::byKey);
        Path<Row, Row> path = new Path<>();
        long edit = 1;
        for (int i = 0; i < 50_000; i++) {
            Row key = key();
            Tree<Row, Row> before = tree;
            Row found = path.row(tree, key);
            if (found == null) {
                found = tree.get(key, path);
            }
            assertThat(found).isEqualTo(oracle.get(key));
            Row row = key.with(i);
            tree = found == null ? tree.put(edit, row) : tree.put(edit, path, row);
            oracle.put(row, row);
            oracle.remove(row);
            oracle.put(row, row);
            if (found != null) {
                assertThat(path.row(tree, key)).isSameAs(row);
                assertThat(tree.size()).isEqualTo(before.size());
            }
            if (random.nextInt(10) == 0) {
                edit++;
                Row other = key();
                if (oracle.remove(other) != null) {
                    tree = tree.remove(edit, other);
                    assertThat(path.row(tree, key)).isNull();
                }
            }
            if (i % 5_000 == 0) {
                TreeChecks.check(tree, Row.SHAPE);
            }
        }
        for (Row row : oracle.values()) {
            assertThat(tree.get(row)).isSameAs(row);
        }
    }

    @Test
    void earlierTreeVersionIsUnchangedAfterPutWithPath() {
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE);
        for (int i = 0; i < 5_000; i++) {
            tree = tree.put(1, Row.key("n", "v" + (10_000 + i)));
        }
        Path<Row, Row> path = new Path<>();
        Row key = Row.key("n", "v12345");
        assertThat(tree.get(key, path)).isEqualTo(key);
        Tree<Row, Row> changed = tree.put(2, path, key.with(7));
        assertThat(changed.get(key)).isEqualTo(key.with(7));
        assertThat(tree.get(key)).isEqualTo(key);
        TreeChecks.check(changed, Row.SHAPE);
    }

    @Test
    void pathRememberedForOtherKeyOrTreeIsRefused() {
        Row row = Row.key("n", "v");
        Tree<Row, Row> tree = Tree.empty(Row.SHAPE).put(1, row).put(1, Row.key("n", "w"));
        Path<Row, Row> path = new Path<>();
        assertThat(tree.get(Row.key("n", "absent"), path)).isNull();
        assertThatThrownBy(() -> tree.put(2, path, row)).isInstanceOf(IllegalStateException.class);
        assertThat(tree.get(row, path)).isSameAs(row);
        assertThatThrownBy(() -> tree.put(2, path, Row.key("n", "w"))).isInstanceOf(IllegalStateException.class);
        Tree<Row, Row> other = tree.put(3, Row.key("n", "x"));
        assertThatThrownBy(() -> other.put(4, path, row)).isInstanceOf(IllegalStateException.class);
    }

    private Row key() {
        return Row.key("space-" + random.nextInt(3), "volume-" + (1_000 + random.nextInt(4_000)));
    }
}

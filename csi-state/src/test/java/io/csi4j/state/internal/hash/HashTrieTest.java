package io.csi4j.state.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.state.internal.tree.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashTrieTest {
    /** A key whose mask decides how many keys have the same hash. */
    private record Key(int number, int mask) {
        @Override
        public int hashCode() {
            return number & mask;
        }
    }

    private record Row(Key key, int value) {}

    private record Frozen(HashTrie<Key, Row> trie, Map<Key, Row> rows) {}

    @ParameterizedTest
    @ValueSource(ints = {-1, 0xFFF0, 0x7, 0})
    void trieEqualsHashMapAfterRandomOperations(int mask) {
        SplittableRandom random = Seeds.next("HashTrieTest, mask " + mask);
        HashTrie<Key, Row> trie = HashTrie.empty(Row::key);
        Map<Key, Row> oracle = new HashMap<>();
        List<Frozen> snapshots = new ArrayList<>();
        long edit = 1;
        int keys = mask == -1 || mask == 0xFFF0 ? 3_000 : 60;
        for (int i = 0; i < 60_000; i++) {
            Key key = new Key(random.nextInt(keys), mask);
            boolean shrinking = i / 5_000 % 3 == 2;
            if (random.nextInt(100) < (shrinking ? 80 : 20)) {
                HashTrie<Key, Row> without = trie.remove(edit, key);
                if (oracle.remove(key) == null) {
                    assertThat(without).isSameAs(trie);
                }
                trie = without;
            } else {
                Row row = new Row(key, i);
                trie = trie.put(edit, row);
                oracle.put(key, row);
            }
            assertThat(trie.get(key)).isSameAs(oracle.get(key));
            assertThat(trie.isEmpty()).isEqualTo(oracle.isEmpty());
            if (random.nextInt(3_000) == 0) {
                snapshots.add(new Frozen(trie, new HashMap<>(oracle)));
                edit++;
            } else if (random.nextInt(10) == 0) {
                edit++;
            }
        }
        snapshots.add(new Frozen(trie, oracle));
        for (Frozen frozen : snapshots) {
            for (int number = 0; number < keys; number++) {
                Key key = new Key(number, mask);
                assertThat(frozen.trie.get(key)).isSameAs(frozen.rows.get(key));
            }
        }
    }

    @Test
    void removingAllKeysLeavesNoTreeNodes() {
        HashTrie<Key, Row> trie = HashTrie.empty(Row::key);
        for (int i = 0; i < 100; i++) {
            trie = trie.put(i / 7 + 1, new Row(new Key(i, 0x3), i));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(trie.isEmpty()).isFalse();
            trie = trie.remove(20 + i / 7, new Key(i, 0x3));
        }
        assertThat(trie.isEmpty()).isTrue();
    }

    @Test
    void editModifiesOnlyTreeNodesThatItCreated() {
        HashTrie<Key, Row> first = HashTrie.empty(Row::key);
        for (int i = 0; i < 1_000; i++) {
            HashTrie<Key, Row> more = first.put(1, new Row(new Key(i, -1), i));
            assertThat(more == first).isEqualTo(i > 0);
            first = more;
        }
        HashTrie<Key, Row> second = first;
        for (int i = 0; i < 1_000; i += 2) {
            second = second.put(2, new Row(new Key(i, -1), -i)).remove(2, new Key(i + 1, -1));
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(first.get(new Key(i, -1))).isEqualTo(new Row(new Key(i, -1), i));
            assertThat(second.get(new Key(i, -1))).isEqualTo(i % 2 == 0 ? new Row(new Key(i, -1), -i) : null);
        }
    }
}

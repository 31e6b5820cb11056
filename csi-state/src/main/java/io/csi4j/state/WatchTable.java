package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watchers of one table, which are found by a whole key or by prefixes of the key. Only the lengths of registered prefixes are tried,
 * so that watchers of other keys cost no time. Guarded by the lock of the registry.
 */
final class WatchTable {
    // The sets of watchers keep the order in which watchers were added, so that the order of notifications does not
    // depend on memory addresses.
    private final Map<String, Set<Watcher>> exact = new HashMap<>();
    private final Map<String, Set<Watcher>> prefixes = new HashMap<>();
    /** The number of registered prefixes of each length. */
    private final TreeMap<Integer, Integer> lengths = new TreeMap<>();

    void add(StateScope scope, Watcher watcher) {
        Map<String, Set<Watcher>> map = scope.prefix() ? prefixes : exact;
        Set<Watcher> watchers = map.get(scope.text());
        if (watchers == null) {
            watchers = new LinkedHashSet<>(2);
            map.put(scope.text(), watchers);
            if (scope.prefix()) {
                lengths.merge(scope.text().length(), 1, Integer::sum);
            }
        }
        watchers.add(watcher);
    }

    void remove(StateScope scope, Watcher watcher) {
        Map<String, Set<Watcher>> map = scope.prefix() ? prefixes : exact;
        Set<Watcher> watchers = map.get(scope.text());
        if (watchers != null && watchers.remove(watcher) && watchers.isEmpty()) {
            map.remove(scope.text());
            if (scope.prefix()) {
                lengths.computeIfPresent(scope.text().length(), (length, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    boolean isEmpty() {
        return exact.isEmpty() && prefixes.isEmpty();
    }

    /** Finds the watchers of a key. The key is converted to text only if there are watchers of single keys or prefixes. */
    void find(Touched touched, int at, Consumer<Watcher> found) {
        boolean wholeTableOnly = exact.isEmpty() && lengths.size() == 1 && lengths.firstKey() == 0;
        if (wholeTableOnly) {
            each(prefixes.get(""), found);
        } else {
            find(touched.text(at), found);
        }
    }

    private void find(String key, Consumer<Watcher> found) {
        each(exact.get(key), found);
        for (int length : lengths.headMap(key.length(), true).keySet()) {
            each(prefixes.get(key.substring(0, length)), found);
        }
    }

    void all(Consumer<Watcher> found) {
        exact.values().forEach(watchers -> each(watchers, found));
        prefixes.values().forEach(watchers -> each(watchers, found));
    }

    private static void each(@Nullable Set<Watcher> watchers, Consumer<Watcher> found) {
        if (watchers != null) {
            watchers.forEach(found);
        }
    }
}

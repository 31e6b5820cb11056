package io.csi4j.testkit.internal.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A table in memory. Writers hold the lock of the storage; readers need no lock. */
final class MemoryTable<T> implements Table<T> {
    private final ConcurrentNavigableMap<String, T> rows = new ConcurrentSkipListMap<>();
    private final Map<Index<T>, Map<String, NavigableSet<String>>> indexed = new HashMap<>();
    private final ToLongFunction<T> size;
    private int count;
    private long total;

    MemoryTable(ToLongFunction<T> size, List<Index<T>> indexes) {
        this.size = size;
        indexes.forEach(index -> indexed.put(index, new HashMap<>()));
    }

    @Override
    public @Nullable T get(String key) {
        return rows.get(key);
    }

    @Override
    public void put(String key, T value) {
        remove(key);
        rows.put(key, value);
        count++;
        total += size.applyAsLong(value);
        indexed.forEach((index, keys) -> index.values()
                .apply(value)
                .forEach(entry ->
                        keys.computeIfAbsent(entry, k -> new TreeSet<>()).add(key)));
    }

    @Override
    public void remove(String key) {
        T old = rows.remove(key);
        if (old == null) {
            return;
        }
        count--;
        total -= size.applyAsLong(old);
        indexed.forEach((index, keys) -> index.values()
                .apply(old)
                .forEach(entry -> keys.computeIfPresent(entry, (k, set) -> {
                    set.remove(key);
                    return set.isEmpty() ? null : set;
                })));
    }

    @Override
    public Collection<T> all() {
        return Collections.unmodifiableCollection(rows.values());
    }

    @Override
    public Collection<T> after(String key) {
        return Collections.unmodifiableCollection(rows.tailMap(key, false).values());
    }

    @Override
    public Collection<T> where(Index<T> index, String value) {
        List<T> found = new ArrayList<>();
        for (String key :
                Objects.requireNonNull(indexed.get(index)).getOrDefault(value, Collections.emptyNavigableSet())) {
            found.add(Objects.requireNonNull(rows.get(key)));
        }
        return found;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public long total() {
        return total;
    }
}

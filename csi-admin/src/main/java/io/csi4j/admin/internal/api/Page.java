package io.csi4j.admin.internal.api;

import io.csi4j.core.state.ListPage;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A page of a list.
 *
 * @param items the items
 * @param next where the next page begins; empty at the end
 */
public record Page<T>(List<T> items, Optional<String> next) {
    /** Returns a page of the lifecycle. */
    public static <T, K> Page<T> of(ListPage<T, K> page, Function<K, String> token) {
        return new Page<>(page.items(), page.next().map(token));
    }
}

package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.state.ListPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Makes the pages of all lists that have a query. */
public final class Paging {
    private Paging() {}

    /**
     * Returns a page, which ends directly after its last entry.
     *
     * @param rows the rows after the start of the page, in the order of the list; read only as far as the page needs
     * @param limit the maximum number of entries
     * @param position returns the position of a row in the list
     * @param entry returns the entry of a row; empty if the query or the caller's permissions leave it out
     */
    public static <R, T, K> ListPage<T, K> page(
            Iterable<R> rows, int limit, Function<R, K> position, Function<R, Optional<T>> entry) {
        List<T> items = new ArrayList<>();
        Optional<K> last = Optional.empty();
        for (R row : rows) {
            Optional<T> found = entry.apply(row);
            if (found.isPresent()) {
                if (items.size() == limit) {
                    return new ListPage<>(items, last);
                }
                items.add(found.get());
                last = Optional.of(position.apply(row));
            }
        }
        return new ListPage<>(items, Optional.empty());
    }
}

package io.csi4j.core.state;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One page of a list: of volumes, plugins, nodes, waiting claims, or calls. An entry that is on the list while its pages
 * are read, and that the query finds all the time, is on exactly one page.
 *
 * @param items the entries, in the order of the list
 * @param next the position of the last entry of this page. To query the next page, pass it to {@code after} of the query,
 *     even if that entry was removed meanwhile. Empty if this is the last page
 * @param <T> the entries
 * @param <K> the position of an entry in the order of the list
 */
public record ListPage<T, K>(List<T> items, Optional<K> next) {
    public ListPage {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

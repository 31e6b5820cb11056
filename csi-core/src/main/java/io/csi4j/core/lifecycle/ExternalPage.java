package io.csi4j.core.lifecycle;

import io.csi4j.core.rpc.ListedPage;
import java.util.List;
import java.util.Objects;

/**
 * A page of a list from a storage provider. The pages of a list are not one consistent snapshot: an entry may be
 * missing or appear twice (R70). {@link ListedPage#all} reads all pages.
 *
 * @param entries the entries that the caller is allowed to see; a page without entries may still have a next page
 * @param nextToken the token of the next page; empty if this is the last page
 * @param <T> the type of the entries
 */
public record ExternalPage<T>(List<T> entries, String nextToken) implements ListedPage<T> {
    /** Copies the list of entries, so that later changes of the caller's list have no effect. */
    public ExternalPage {
        entries = List.copyOf(entries);
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

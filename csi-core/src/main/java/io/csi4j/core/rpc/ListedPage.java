package io.csi4j.core.rpc;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One page of a list of the storage provider (R70, R72, R81).
 *
 * @param <E> the type of the entries
 */
public interface ListedPage<E> {
    /** Returns the entries of this page; a page without entries may still have a next page. */
    List<E> entries();

    /** Returns the token of the next page; empty if this is the last page. */
    String nextToken();

    /**
     * Reads all pages of a list, one after the other: {@code all(100_000, token -> client.controller()
     * .listVolumes(ListVolumesRequest.builder().startingToken(token).build()))}.
     *
     * <p>If a token has expired, the list begins again with the first page, at most three times (R72). The pages are not
     * one consistent snapshot: an entry may be missing or appear twice (R70).
     *
     * @param maxEntries the largest number of entries to hold, because a plugin may list without end; above 0
     * @param read reads the page with a token; gets an empty token for the first page
     * @param <E> the type of the entries
     * @return the entries of all pages in order. Fails with the failure of a page; with a {@link
     *     io.csi4j.core.call.CsiException} if the list has more entries, more than 20,000 pages, or 50 pages in a row
     *     without an entry. If it is cancelled, the request for the current page is cancelled and none follows
     * @throws IllegalArgumentException if {@code maxEntries} is below 1
     */
    static <E> CompletableFuture<List<E>> all(
            int maxEntries, Function<String, ? extends CompletableFuture<? extends ListedPage<E>>> read) {
        return new AllPages<>(maxEntries, read).start();
    }
}

package io.csi4j.core.lifecycle;

/** Checks the size of a page. */
final class PageLimit {
    private PageLimit() {}

    /**
     * Returns the limit.
     *
     * @param query the kind of the query, for the message
     * @throws IllegalArgumentException if the limit is below 1
     */
    static int checked(String query, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException(query + ": limit is " + limit + "; use 1 or more");
        }
        return limit;
    }
}

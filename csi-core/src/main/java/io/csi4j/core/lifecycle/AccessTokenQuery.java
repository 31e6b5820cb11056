package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AccessTokenId;
import java.util.Objects;
import java.util.Optional;

/**
 * A query for a list of access tokens.
 *
 * @param idPrefix lists only tokens whose ids begin with it; empty for all
 * @param after lists only tokens after this id, whether or not a token has it; empty to begin with the first
 * @param limit the maximum number of tokens on a page, 1 or more
 */
public record AccessTokenQuery(String idPrefix, Optional<AccessTokenId> after, int limit) {
    /** @throws IllegalArgumentException if the limit is below 1 */
    public AccessTokenQuery {
        Objects.requireNonNull(idPrefix, "idPrefix");
        Objects.requireNonNull(after, "after");
        PageLimit.checked("AccessTokenQuery", limit);
    }

    /** Returns a query for all tokens on one page. */
    public static AccessTokenQuery all() {
        return new AccessTokenQuery("", Optional.empty(), Integer.MAX_VALUE);
    }
}

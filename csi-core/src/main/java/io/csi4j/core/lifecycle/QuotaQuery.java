package io.csi4j.core.lifecycle;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.volume.QuotaKey;
import java.util.Objects;
import java.util.Optional;

/**
 * A query for a list of quotas.
 *
 * @param namespace lists only the quotas of this namespace and of classes in it; empty for all
 * @param after lists only quotas after this key, whether or not a quota has it; empty to begin with the first
 * @param limit the maximum number of quotas on a page, 1 or more
 */
public record QuotaQuery(Optional<Namespace> namespace, Optional<QuotaKey> after, int limit) {
    /** @throws IllegalArgumentException if the limit is below 1 */
    public QuotaQuery {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(after, "after");
        PageLimit.checked("QuotaQuery", limit);
    }

    /** Returns a query for all quotas on one page. */
    public static QuotaQuery all() {
        return new QuotaQuery(Optional.empty(), Optional.empty(), Integer.MAX_VALUE);
    }

    /** Returns a query for all quotas of a namespace on one page. */
    public static QuotaQuery of(Namespace namespace) {
        return new QuotaQuery(Optional.of(namespace), Optional.empty(), Integer.MAX_VALUE);
    }
}

package io.csi4j.core.lifecycle;

import java.util.List;
import java.util.Objects;

/**
 * A page of what a provider lists. Pages are no consistent cut: an entry may be missing, or come twice (R70).
 *
 * @param entries those the caller may see; possibly none although there are further pages
 * @param nextToken where the next page begins; empty: this was the last one
 * @param <T> what is listed
 */
public record ExternalPage<T>(List<T> entries, String nextToken) {
    /** Copies the list. */
    public ExternalPage {
        entries = List.copyOf(entries);
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

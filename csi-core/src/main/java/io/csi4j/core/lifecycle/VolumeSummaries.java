package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One page of a list of volumes.
 *
 * @param items the volumes, in the order of their keys
 * @param next the start of the next page for {@link io.csi4j.core.state.VolumeQuery.Builder#after}: the last key of
 *     this page, which stays valid if that volume is removed; empty if this is the last page
 */
public record VolumeSummaries(List<VolumeSummary> items, Optional<VolumeKey> next) {
    /** Copies the list of volumes, so that later changes of the caller's list have no effect. */
    public VolumeSummaries {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

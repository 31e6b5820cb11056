package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One page of a listing of volumes.
 *
 * @param items the volumes, in key order
 * @param next where the next page begins, for {@link io.csi4j.core.state.VolumeQuery.Builder#after}: the last key of this
 *     page. It stays good when that volume is removed. Empty: this was the last page
 */
public record VolumeSummaries(List<VolumeSummary> items, Optional<VolumeKey> next) {
    /** Copies the list. */
    public VolumeSummaries {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

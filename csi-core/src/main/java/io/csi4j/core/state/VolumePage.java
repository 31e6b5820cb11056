package io.csi4j.core.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One page of a listing.
 *
 * @param items the volumes, in key order
 * @param next where the next page begins, for {@link VolumeQuery.Builder#after}: the last key of this
 *     page. It stays good when that volume is removed. Empty: this was the last page
 */
public record VolumePage(List<Volume> items, Optional<VolumeKey> next) {
    public VolumePage {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

package io.csi4j.core.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One page of a list of volumes.
 *
 * @param items the volumes, in key order
 * @param next the last key of this page, for {@link VolumeQuery.Builder#after}; stays valid if that volume is removed.
 *     Empty if this is the last page
 */
public record VolumePage(List<Volume> items, Optional<VolumeKey> next) {
    public VolumePage {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

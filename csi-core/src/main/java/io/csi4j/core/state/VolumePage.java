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
 * @param next the key of the last volume on this page. To query the next page, pass it to
 *     {@link VolumeQuery.Builder#after}, even if the volume was removed meanwhile. Empty if this is the last page
 */
public record VolumePage(List<Volume> items, Optional<VolumeKey> next) {
    public VolumePage {
        items = List.copyOf(items);
        Objects.requireNonNull(next, "next");
    }
}

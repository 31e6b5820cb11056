package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A page of volumes; pages are not one consistent snapshot: entries may repeat or be missing (CSI
 * {@code ListVolumes}, R70).
 *
 * @param entries the volumes of this page
 * @param nextToken the token of the next page; empty: this is the last page
 */
public record ListVolumesResponse(List<Entry> entries, String nextToken) {
    /**
     * One volume of the page.
     *
     * @param volume the volume
     * @param status where it is published and its condition, if the plugin tells
     */
    public record Entry(ExternalVolume volume, Optional<ExternalVolumeStatus> status) {
        public Entry {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(status, "status");
        }
    }

    public ListVolumesResponse {
        entries = List.copyOf(Objects.requireNonNull(entries, "entries"));
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of ListVolumes: a page of volumes (R70). The pages of a list are not one consistent snapshot: an entry
 * may be missing or appear twice.
 *
 * @param entries the volumes of this page
 * @param nextToken the token of the next page; empty if this is the last page
 */
public record ListVolumesResponse(List<Entry> entries, String nextToken)
        implements ListedPage<ListVolumesResponse.Entry> {
    /**
     * One volume of the page.
     *
     * @param volume the volume
     * @param status the nodes to which the volume is published, and the condition of the volume; empty if the plugin
     *     reports no status
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

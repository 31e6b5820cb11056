package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeHealth;
import java.util.List;
import java.util.Objects;

/**
 * The response of ControllerListVolumeHealth: a page of abnormal volumes (R104).
 *
 * @param entries the abnormal volumes of this page
 * @param nextToken the token of the next page; empty if this is the last page
 */
public record ControllerListVolumeHealthResponse(List<VolumeHealth> entries, String nextToken)
        implements ListedPage<VolumeHealth> {
    public ControllerListVolumeHealthResponse {
        entries = List.copyOf(Objects.requireNonNull(entries, "entries"));
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

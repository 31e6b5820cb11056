package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.Objects;

/**
 * The response of CreateVolumeGroupSnapshot: the group snapshot that this request, or an earlier equal request,
 * created.
 *
 * @param groupSnapshot the group snapshot; it may not be ready to use yet (R97)
 */
public record CreateVolumeGroupSnapshotResponse(VolumeGroupSnapshot groupSnapshot) {
    public CreateVolumeGroupSnapshotResponse {
        Objects.requireNonNull(groupSnapshot, "groupSnapshot");
    }
}

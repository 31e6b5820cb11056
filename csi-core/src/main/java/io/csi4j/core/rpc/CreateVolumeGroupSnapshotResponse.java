package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.Objects;

/**
 * The group snapshot (CSI {@code CreateVolumeGroupSnapshot}).
 *
 * @param groupSnapshot the group snapshot; maybe not ready yet (R97)
 */
public record CreateVolumeGroupSnapshotResponse(VolumeGroupSnapshot groupSnapshot) {
    public CreateVolumeGroupSnapshotResponse {
        Objects.requireNonNull(groupSnapshot, "groupSnapshot");
    }
}

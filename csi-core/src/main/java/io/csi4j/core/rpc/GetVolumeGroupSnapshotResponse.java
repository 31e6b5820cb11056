package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.Objects;

/**
 * One group snapshot (CSI {@code GetVolumeGroupSnapshot}).
 *
 * @param groupSnapshot the group snapshot
 */
public record GetVolumeGroupSnapshotResponse(VolumeGroupSnapshot groupSnapshot) {
    public GetVolumeGroupSnapshotResponse {
        Objects.requireNonNull(groupSnapshot, "groupSnapshot");
    }
}

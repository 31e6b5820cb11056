package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.Objects;

/**
 * The response of GetVolumeGroupSnapshot: one group snapshot.
 *
 * @param groupSnapshot the group snapshot
 */
public record GetVolumeGroupSnapshotResponse(VolumeGroupSnapshot groupSnapshot) {
    public GetVolumeGroupSnapshotResponse {
        Objects.requireNonNull(groupSnapshot, "groupSnapshot");
    }
}

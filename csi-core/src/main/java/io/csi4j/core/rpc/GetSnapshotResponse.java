package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * One snapshot (CSI {@code GetSnapshot}, alpha).
 *
 * @param snapshot the snapshot
 */
public record GetSnapshotResponse(Snapshot snapshot) {
    public GetSnapshotResponse {
        Objects.requireNonNull(snapshot, "snapshot");
    }
}

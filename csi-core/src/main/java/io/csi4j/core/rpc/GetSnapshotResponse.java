package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * The response of GetSnapshot (alpha): one snapshot.
 *
 * @param snapshot the snapshot
 */
public record GetSnapshotResponse(Snapshot snapshot) {
    public GetSnapshotResponse {
        Objects.requireNonNull(snapshot, "snapshot");
    }
}

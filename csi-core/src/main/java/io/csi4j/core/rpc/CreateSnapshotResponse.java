package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * The snapshot that was cut, or had been cut by the same request (CSI {@code CreateSnapshot}).
 *
 * @param snapshot the snapshot; maybe not ready yet (R77)
 */
public record CreateSnapshotResponse(Snapshot snapshot) {
    public CreateSnapshotResponse {
        Objects.requireNonNull(snapshot, "snapshot");
    }
}

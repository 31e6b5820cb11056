package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.Objects;

/**
 * The response of CreateSnapshot: the snapshot that this request, or an earlier equal request, created.
 *
 * @param snapshot the snapshot; it may not be ready to use yet (R77)
 */
public record CreateSnapshotResponse(Snapshot snapshot) {
    public CreateSnapshotResponse {
        Objects.requireNonNull(snapshot, "snapshot");
    }
}

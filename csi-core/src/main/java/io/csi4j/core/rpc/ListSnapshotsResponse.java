package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.List;
import java.util.Objects;

/**
 * A page of snapshots (CSI {@code ListSnapshots}, R81).
 *
 * @param entries the snapshots of this page
 * @param nextToken the token of the next page; empty: this is the last page
 */
public record ListSnapshotsResponse(List<Snapshot> entries, String nextToken) {
    public ListSnapshotsResponse {
        entries = List.copyOf(Objects.requireNonNull(entries, "entries"));
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

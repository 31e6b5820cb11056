package io.csi4j.core.rpc;

import io.csi4j.core.csi.Snapshot;
import java.util.List;
import java.util.Objects;

/**
 * The response of ListSnapshots: a page of snapshots (R81).
 *
 * @param entries the snapshots of this page
 * @param nextToken the token of the next page; empty if this is the last page
 */
public record ListSnapshotsResponse(List<Snapshot> entries, String nextToken) implements ListedPage<Snapshot> {
    public ListSnapshotsResponse {
        entries = List.copyOf(Objects.requireNonNull(entries, "entries"));
        Objects.requireNonNull(nextToken, "nextToken");
    }
}

package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.spi.LogDetails;
import java.util.Objects;
import java.util.Optional;

/**
 * The snapshots of a peer.
 *
 * @param latest the latest one; empty: there is none
 * @param trouble the reason why the last attempt to write one failed; empty: it succeeded, or there was none
 * @param failures the number of failed attempts since the start
 */
public record Snapshots(Optional<LogDetails.Snapshot> latest, Optional<LogDetails.Trouble> trouble, long failures) {
    public Snapshots {
        Objects.requireNonNull(latest, "latest");
        Objects.requireNonNull(trouble, "trouble");
    }
}

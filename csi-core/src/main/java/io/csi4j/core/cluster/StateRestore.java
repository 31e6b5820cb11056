package io.csi4j.core.cluster;

import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;

/**
 * The last restore of the state from a backup. What the rows of the backup say about the storage provider may be old: each
 * volume that is older than the restore is verified before its first use ({@link io.csi4j.core.volume.Verification}).
 *
 * @param index the index of the command that reported the restore; rows with a higher create index are newer
 * @param reason the reason, for an operator; not empty
 * @param at the time of the report, by the clock of the server that reported it
 */
public record StateRestore(long index, String reason, Instant at) {
    /** @throws IllegalArgumentException if {@code index} is not above 0 */
    public StateRestore {
        if (index < 1) {
            throw new IllegalArgumentException("StateRestore: index is " + index + "; use that of a command");
        }
        Text.checked("StateRestore: reason", reason);
        Objects.requireNonNull(at, "at");
    }
}

package io.csi4j.core.spi;

import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A claim waits, or waits for something else than before.
 *
 * @param volume the volume it waits for
 * @param allocationId who waits
 * @param reason why; behind others, why the first of them waits for that volume; empty: that is being decided
 * @param behind the allocation whose turn on that volume comes first; empty: nobody's
 * @param since since when it waits
 * @param at when it began to wait for this
 */
public record ClaimWaitingEvent(
        VolumeKey volume,
        AllocationId allocationId,
        Optional<WaitReason> reason,
        Optional<AllocationId> behind,
        Instant since,
        Instant at) {
    public ClaimWaitingEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(behind, "behind");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(at, "at");
    }
}

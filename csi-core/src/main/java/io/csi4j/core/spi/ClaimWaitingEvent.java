package io.csi4j.core.spi;

import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Reports that a claim started to wait, or that its wait reason changed.
 *
 * @param volume the volume for which the claim waits
 * @param allocationId the allocation that waits
 * @param reason the wait reason; for a claim behind another one, the reason of the first claim in the queue; empty
 *     until the engine has tried the claim
 * @param behind the allocation that was first in the queue for the volume when the claim began to wait; empty if this
 *     claim is the first. No event follows when another allocation becomes the first
 * @param since the time when the claim started to wait
 * @param at the time when the claim started to wait for this reason
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

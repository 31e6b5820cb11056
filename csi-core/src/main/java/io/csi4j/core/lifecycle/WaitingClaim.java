package io.csi4j.core.lifecycle;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A claim that waits for its turn (N6).
 *
 * @param allocationId who waits
 * @param requests for what, all together
 * @param since since when
 * @param volume which of the volumes it waits for; empty: it is behind others, or is being decided
 * @param reason why, and whose release it waits for; empty like the volume
 */
public record WaitingClaim(
        AllocationId allocationId,
        List<ClaimRequest> requests,
        Instant since,
        Optional<VolumeKey> volume,
        Optional<AdmissionDecision.Wait> reason) {
    /** Copies the list. */
    public WaitingClaim {
        Objects.requireNonNull(allocationId, "allocationId");
        requests = List.copyOf(requests);
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(reason, "reason");
    }

    /**
     * How long it has waited.
     *
     * @param now the time
     * @return zero or more
     */
    public Duration age(Instant now) {
        Duration age = Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }
}

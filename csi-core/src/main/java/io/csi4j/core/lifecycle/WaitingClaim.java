package io.csi4j.core.lifecycle;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Holder;
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
 * @param volume which of the volumes it waits for; empty: it is being decided
 * @param reason why, and whose release it waits for; behind others, what the first of them waits for on that volume;
 *     empty: that is being decided
 * @param behind the allocation whose turn on that volume comes before its own; empty: its turn is next, or it is in
 *     nobody's way
 */
public record WaitingClaim(
        AllocationId allocationId,
        List<ClaimRequest> requests,
        Instant since,
        Optional<VolumeKey> volume,
        Optional<AdmissionDecision.Wait> reason,
        Optional<AllocationId> behind) {
    /** Copies the list. */
    public WaitingClaim {
        Objects.requireNonNull(allocationId, "allocationId");
        requests = List.copyOf(requests);
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(behind, "behind");
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

    /**
     * What it waits for, as an operator reads it.
     *
     * @return for example {@code volume default/v, behind allocation a2: it is claimed on another node, held by ...};
     *     empty while it is being decided
     */
    public String text() {
        String where = volume.map(key -> "volume " + key).orElse("");
        String turn = behind.map(first -> ", behind allocation " + first).orElse("");
        String why = reason.map(wait -> ": " + wait.detail()
                        + (wait.holders().isEmpty() ? "" : ", held by " + Holder.list(wait.holders())))
                .orElse("");
        return where + turn + why;
    }
}

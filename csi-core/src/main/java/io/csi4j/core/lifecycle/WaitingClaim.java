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
 * A claim request that has not been granted yet.
 *
 * @param allocationId the allocation that waits
 * @param requests the volumes that the allocation requested together
 * @param since the time of the request
 * @param volume the volume that the request waits for; empty while the engine is deciding
 * @param reason the reason of the wait and the claims that block it; if the request waits behind others, the reason of
 *     the first of them; empty while the engine is deciding
 * @param behind the allocation of the earlier request behind which this request has to wait in the queue of {@code
 *     volume}; empty if there is none
 * @param cause what ends the wait and what an operator can do, if the wait does not simply end with the allocations that
 *     block it: a node that does not answer, or a call that fails; otherwise empty
 */
public record WaitingClaim(
        AllocationId allocationId,
        List<ClaimRequest> requests,
        Instant since,
        Optional<VolumeKey> volume,
        Optional<AdmissionDecision.Wait> reason,
        Optional<AllocationId> behind,
        String cause) {
    /** Copies the list of requests, so that later changes of the caller's list have no effect. */
    public WaitingClaim {
        Objects.requireNonNull(allocationId, "allocationId");
        requests = List.copyOf(requests);
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(behind, "behind");
        Objects.requireNonNull(cause, "cause");
    }

    /** Returns a copy with another cause. */
    public WaitingClaim withCause(String text) {
        return new WaitingClaim(allocationId, requests, since, volume, reason, behind, text);
    }

    /**
     * Returns the time since the request; never negative.
     *
     * @param now the current time
     */
    public Duration age(Instant now) {
        Duration age = Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * Returns the reason of the wait as text for operators.
     *
     * @return for example {@code volume default/v, behind allocation a2: it is claimed on another node, held by ...};
     *     or the empty text while the engine is deciding
     */
    public String text() {
        String where = volume.map(key -> "volume " + key).orElse("");
        String turn = behind.map(first -> ", behind allocation " + first).orElse("");
        String reasonText = reason.map(wait -> ": " + wait.detail()
                        + (wait.holders().isEmpty() ? "" : ", held by " + Holder.list(wait.holders())))
                .orElse("");
        return where + turn + reasonText + (cause.isEmpty() ? "" : "; " + cause);
    }
}

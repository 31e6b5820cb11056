package io.csi4j.core.lifecycle;

import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.RemainingWork;
import java.util.List;
import java.util.Objects;

/**
 * The status of a volume: its claims, the claims that wait for it, and the work that remains.
 *
 * @param view the volume with its claims and attachments, without secrets, contexts and mount flags; each claim and
 *     attachment has its failed attempts, its last error and its next retry
 * @param remaining the steps that remain, and the reason for each step that waits
 * @param waiting the waiting claims, in their order; empty on an engine that does not lead
 */
public record VolumeStatus(VolumeView view, RemainingWork remaining, List<WaitingClaim> waiting) {
    /** Copies the list of waiting claims, so that later changes of the caller's list have no effect. */
    public VolumeStatus {
        Objects.requireNonNull(view, "view");
        Objects.requireNonNull(remaining, "remaining");
        waiting = List.copyOf(waiting);
    }
}

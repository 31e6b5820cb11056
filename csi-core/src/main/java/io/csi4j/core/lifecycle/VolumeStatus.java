package io.csi4j.core.lifecycle;

import io.csi4j.core.plan.CallsUnderWay;
import io.csi4j.core.plan.Plan;
import io.csi4j.core.state.VolumeView;
import java.util.List;
import java.util.Objects;

/**
 * Where a volume stands: who holds it, who waits for it, what remains to be done and why it is not yet.
 *
 * @param view the volume with its claims, without anything sensitive; each claim and attachment tells its failed attempts, last error and
 *     next retry
 * @param plan what can be done now, and what is waited for; the engine that leads is at it
 * @param calls the calls of this engine that have not ended
 * @param waiting who waits for a claim, in order; empty on an engine that does not lead
 */
public record VolumeStatus(VolumeView view, Plan plan, CallsUnderWay calls, List<WaitingClaim> waiting) {
    /** Copies the list. */
    public VolumeStatus {
        Objects.requireNonNull(view, "view");
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(calls, "calls");
        waiting = List.copyOf(waiting);
    }
}

package io.csi4j.core.internal.plan;

import io.csi4j.core.volume.RemainingWork;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The next steps for a volume.
 *
 * @param facts the transitions to record, in this order; a later one may depend on an earlier one
 * @param calls the calls to make, the most urgent first; they may run concurrently
 * @param waits the steps that are not possible now, and the reasons
 * @param wakeAt the time at which to plan again if nothing happens before, computed from {@link PlanFacts#now()}, so that
 *     the difference of both is the elapsed time to wait; empty if only an event can change the plan
 */
public record Plan(
        List<PlannedStep> facts, List<PlannedStep> calls, List<RemainingWork.Wait> waits, Optional<Instant> wakeAt) {
    private static final Plan IDLE = new Plan(List.of(), List.of(), List.of(), Optional.empty());

    public Plan {
        facts = List.copyOf(facts);
        calls = List.copyOf(calls);
        waits = List.copyOf(waits);
        Objects.requireNonNull(wakeAt, "wakeAt");
    }

    public static Plan nothing() {
        return IDLE;
    }

    /** Returns all steps: the transitions before the calls. */
    public List<PlannedStep> actions() {
        List<PlannedStep> actions = new ArrayList<>(facts);
        actions.addAll(calls);
        return Collections.unmodifiableList(actions);
    }

    /** Returns the remaining work of the volume for operators. */
    public RemainingWork remaining() {
        return new RemainingWork(actions().stream().map(PlannedStep::toStep).toList(), waits, wakeAt);
    }

    /** Returns whether the volume has no remaining work: no step and no wait. */
    public boolean idle() {
        return facts.isEmpty() && calls.isEmpty() && waits.isEmpty();
    }
}

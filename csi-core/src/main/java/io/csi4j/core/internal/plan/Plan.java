package io.csi4j.core.internal.plan;

import io.csi4j.core.volume.RemainingWork;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What is to be done for a volume now.
 *
 * @param facts all that can be written down now, in this order: a later one may build on an earlier one
 * @param calls all that can be asked for now, the most urgent first; they do not stand in each other's way
 * @param waits what would have to be done and cannot be now
 * @param wakeAt the first time at which time alone changes the answer; empty: only an event does
 */
public record Plan(
        List<PlannedTransition> facts,
        List<PlannedCall> calls,
        List<RemainingWork.Wait> waits,
        Optional<Instant> wakeAt) {
    private static final Plan IDLE = new Plan(List.of(), List.of(), List.of(), Optional.empty());

    /** Copies the lists. */
    public Plan {
        facts = List.copyOf(facts);
        calls = List.copyOf(calls);
        waits = List.copyOf(waits);
        Objects.requireNonNull(wakeAt, "wakeAt");
    }

    /**
     * Nothing to do and nothing to wait for.
     *
     * @return the plan of a volume that is as its claims say
     */
    public static Plan nothing() {
        return IDLE;
    }

    /**
     * All that can be done now.
     *
     * @return the facts, which cost no plugin time, before the calls
     */
    public List<PlanAction> actions() {
        List<PlanAction> actions = new ArrayList<>(facts);
        actions.addAll(calls);
        return Collections.unmodifiableList(actions);
    }

    /**
     * Whether the volume is as its claims say it should be.
     *
     * @return true if there is nothing to do and nothing to wait for
     */
    public boolean idle() {
        return facts.isEmpty() && calls.isEmpty() && waits.isEmpty();
    }
}

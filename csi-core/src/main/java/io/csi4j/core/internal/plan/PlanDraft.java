package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Collects the steps of a plan, and limits the number of its controller calls. */
final class PlanDraft {
    private final Instant now;
    private final PlanFacts known;
    // To save memory, a list is created only with its first entry: most plans have a single entry in all their lists.
    private List<PlannedStep> facts = List.of();
    private List<PlannedStep> detaching = List.of();
    private List<PlannedStep> publishing = List.of();
    private List<NodeId> fences = List.of();
    private List<RemainingWork.Wait> waits = List.of();
    /** The number of controller calls in this plan. */
    private int controllerCalls;
    /** Whether this plan has a call about the volume itself, which has to run alone (R26). */
    private boolean callsVolume;

    private @Nullable Instant wakeAt;

    PlanDraft(PlanFacts facts) {
        this.now = facts.now();
        this.known = facts;
    }

    private static <T> List<T> with(List<T> list, T one) {
        List<T> longer = list.isEmpty() ? new ArrayList<>(2) : list;
        longer.add(one);
        return longer;
    }

    /** Takes a free slot for one more controller call of the volume. Returns false if no slot is free. */
    boolean takeCapacity() {
        InFlightSnapshot inFlight = known.calls();
        boolean free = !callsVolume
                && !inFlight.volume()
                && controllerCalls + inFlight.controller().size() < known.maxControllerCalls();
        controllerCalls += free ? 1 : 0;
        return free;
    }

    /**
     * Takes all free slots for controller calls of the volume, because a call about the volume itself has to run alone
     * (R26).
     */
    void takeAllCapacity() {
        callsVolume = true;
    }

    /** Adds a transition to record. It needs no plugin, and may free a claim at once. */
    void write(PlannedStep fact) {
        facts = with(facts, fact);
    }

    void detach(PlannedStep call) {
        detaching = with(detaching, call);
    }

    void publish(PlannedStep call) {
        publishing = with(publishing, call);
    }

    void fence(NodeId nodeId) {
        fences = with(fences, nodeId);
    }

    void await(RemainingWork.Reason reason, @Nullable NodeId nodeId, @Nullable AllocationId allocationId) {
        waits = with(
                waits,
                new RemainingWork.Wait(
                        reason, Optional.ofNullable(nodeId), Optional.ofNullable(allocationId), Optional.empty()));
    }

    void await(
            RemainingWork.Reason reason, @Nullable NodeId nodeId, @Nullable AllocationId allocationId, Duration left) {
        Instant until = now.plus(left);
        waits = with(
                waits,
                new RemainingWork.Wait(
                        reason, Optional.ofNullable(nodeId), Optional.ofNullable(allocationId), Optional.of(until)));
        wakeAt = wakeAt == null || until.isBefore(wakeAt) ? until : wakeAt;
    }

    /** Returns whether the backoff after the last failed attempt has ended. If not, adds a wait to the plan. */
    boolean due(Retry retry, @Nullable NodeId nodeId, @Nullable AllocationId allocationId) {
        if (retry.nextRetry().isEmpty() || known.tryNow(retry)) {
            return true;
        }
        Duration left = known.backoff(retry);
        if (left.isNegative() || left.isZero()) {
            return true;
        }
        await(RemainingWork.Reason.RETRY_LATER, nodeId, allocationId, left);
        return false;
    }

    Plan plan() {
        List<PlannedStep> calls = detaching;
        for (PlannedStep call : publishing) {
            calls = with(calls, call);
        }
        if (!fences.isEmpty()) {
            for (NodeId nodeId : new TreeSet<>(fences)) {
                calls = with(calls, PlannedStep.onNode(RemainingWork.Kind.REQUEST_FENCE, nodeId));
            }
        }
        return facts.isEmpty() && calls.isEmpty() && waits.isEmpty()
                ? Plan.nothing()
                : new Plan(facts, calls, waits, Optional.ofNullable(wakeAt));
    }
}

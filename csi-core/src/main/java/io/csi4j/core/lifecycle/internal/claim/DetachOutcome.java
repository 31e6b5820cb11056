package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorkers;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reports about the steps that can now be made to detach a volume from a node, when all of them have ended. */
final class DetachOutcome {
    private final Operations operations;
    private final VolumeWorkers workers;
    private final Volume asked;
    private final NodeId nodeId;
    private final Optional<String> notAsked;
    private final Set<Retry> tryNow;

    /**
     * Creates the outcome of a request to detach.
     *
     * @param asked the volume at the time of the request
     * @param notAsked the reason why the provider cannot be asked; empty if it can
     */
    DetachOutcome(
            Operations operations, VolumeWorkers workers, Volume asked, NodeId nodeId, Optional<String> notAsked) {
        this.operations = operations;
        this.workers = workers;
        this.asked = asked;
        this.nodeId = nodeId;
        this.notAsked = notAsked;
        // A step counts as due until its next attempt has ended, even if its backoff has not.
        this.tryNow = operations
                .state()
                .volume(asked.key())
                .map(VolumeWorkers::retries)
                .orElse(Set.of());
    }

    /** Returns the report; empty while a step is due or a call for the node is in flight. */
    Optional<DetachReport> report() {
        // The calls in flight are read before the state. So a call that is not in flight any more has its result in
        // the state.
        InFlightSnapshot calls = operations.volumeCalls().inFlight(asked.key());
        StateReader state = operations.state();
        Optional<Volume> volume = state.volume(asked.key());
        Plan plan = volume.map(now -> plan(state, now, calls)).orElse(Plan.nothing());
        boolean busy = !plan.actions().isEmpty()
                || calls.node().contains(nodeId)
                || calls.controller().contains(nodeId);
        return busy ? Optional.empty() : Optional.of(report(volume.map(StateViews::withoutSensitive), plan));
    }

    private Plan plan(StateReader state, Volume volume, InFlightSnapshot calls) {
        return VolumePlan.of(
                volume,
                workers.facts(state, volume, operations.now())
                        .calls(calls)
                        .sweep(true)
                        .tryNow(tryNow)
                        .build());
    }

    private DetachReport report(Optional<Volume> volume, Plan plan) {
        Claims claims = volume.map(known -> known.claims().on(nodeId)).orElse(Claims.empty());
        Optional<Attachment> attachment =
                volume.flatMap(known -> known.attachments().on(nodeId));
        List<RemainingWork.Wait> waits = plan.waits().stream()
                .filter(wait -> wait.nodeId().filter(nodeId::equals).isPresent())
                .toList();
        List<AllocationId> freed = new ArrayList<>();
        for (Claim claim : asked.claims().on(nodeId)) {
            if (claims.get(claim.allocationId()).isEmpty()) {
                freed.add(claim.allocationId());
            }
        }
        return new DetachReport(
                asked.key(), nodeId, freed, claims(claims, true), claims(claims, false), attachment, waits, notAsked);
    }

    private static List<Claim> claims(Claims claims, boolean taken) {
        List<Claim> found = new ArrayList<>();
        for (Claim claim : claims) {
            if ((claim.state() == ClaimState.TAKEN) == taken) {
                found.add(claim);
            }
        }
        return found;
    }
}

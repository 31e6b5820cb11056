package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.apply.TemplateVolumes;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a claim request, made from the current state. The engine decides before it submits the request, and
 * submits no command for a request that has to wait.
 *
 * @param inVain whether the request must be rejected, because waiting cannot help
 * @param blocked the reason why the request has to wait; null if it need not wait
 */
record AdmissionPreview(boolean inVain, PendingClaim.@Nullable Blocked blocked) {
    private static final AdmissionPreview IN_VAIN = new AdmissionPreview(true, null);

    static AdmissionPreview of(StateReader state, ControllerTrust trust, PendingClaim claim) {
        Optional<Allocation> allocation = state.allocation(claim.allocationId).filter(placed -> !placed.ended());
        if (allocation.isEmpty() || !ClaimRequest.conflicts(claim.requests).isEmpty()) {
            return IN_VAIN;
        }
        PendingClaim.Blocked first = null;
        PendingClaim.Blocked creation = null;
        boolean makes = false;
        for (ClaimRequest request : claim.requests) {
            Function<Volume, PlacementFacts> facts = volume ->
                    Placement.facts(state, trust, volume, allocation.get().nodeId());
            Optional<TemplateVolumes.Answer> made =
                    TemplateVolumes.answer(state, allocation.get(), facts, List.of(), request);
            makes |= made.isPresent();
            Optional<Volume> volume = state.volume(request.volume());
            if (made.isEmpty() && volume.isEmpty()) {
                return IN_VAIN;
            }
            AdmissionDecision decision = made.map(TemplateVolumes.Answer::decision)
                    .orElseGet(() -> Admission.decide(
                            Verifications.asVerified(state, volume.get(), request),
                            request,
                            claim.allocationId,
                            allocation.get().namespace(),
                            verified(state, volume.get(), request, facts)));
            if (decision instanceof AdmissionDecision.Never) {
                return IN_VAIN;
            }
            if (decision instanceof AdmissionDecision.Wait wait) {
                PendingClaim.Blocked blocked = new PendingClaim.Blocked(request.volume(), wait);
                if (wait.reason() == WaitReason.VOLUME_NOT_READY) {
                    creation = creation == null ? blocked : creation;
                } else if (first == null) {
                    first = blocked;
                }
            }
        }
        // While one volume is being created, the missing ones can be made, too.
        return new AdmissionPreview(false, first == null && !makes ? creation : first);
    }

    /** Returns the facts about a volume that counts as verified if the command makes it be verified. */
    private static PlacementFacts verified(
            StateReader state, Volume volume, ClaimRequest request, Function<Volume, PlacementFacts> facts) {
        PlacementFacts known = facts.apply(volume);
        return Verifications.mayBegin(state, volume, request) ? known.verified() : known;
    }
}

package io.csi4j.simulation.internal.world;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.VolumeOwner;
import java.util.Objects;
import java.util.Optional;

/**
 * Checks claim commands: a node must get the claims if, and only if, the placement allows the node, and each claimed
 * volume must be reachable from the node (R24).
 */
public final class AdmissionCheck {
    private AdmissionCheck() {}

    /**
     * Reports a violation if the placement and the claim command decide differently, or a claimed volume cannot be
     * reached from the node (R24).
     */
    static void checkDecision(SimWorld world, ClaimCommand.TakeClaims take, StateReader before, Outcome outcome) {
        boolean withdrawn = take.ifRequestedAt() != 0
                && before.requestedClaims(new RequestedClaims.Key(take.allocationId(), take.ifRequestedAt()))
                        .isEmpty();
        if (withdrawn) {
            if (outcome.fold(Outcome.Accepted::changed, rejected -> true)) {
                world.reportViolation("I12: a request of " + take.allocationId() + " that is not stored any more ended"
                        + " with " + outcome);
            }
            return;
        }
        Optional<Allocation> claimant =
                before.allocation(take.allocationId()).filter(allocation -> !allocation.ended());
        boolean holdsClaim = take.requests().stream()
                .anyMatch(request -> before.volume(request.volume())
                        .filter(volume ->
                                volume.claims().get(take.allocationId()).isPresent())
                        .isPresent());
        // The placement does not know the allocation to which a volume belongs.
        boolean owned = take.requests().stream()
                .flatMap(request -> before.volume(request.volume()).stream())
                .flatMap(volume -> volume.owner().flatMap(VolumeOwner::ofAllocation).stream())
                .anyMatch(take.allocationId()::equals);
        if (claimant.isEmpty() || holdsClaim || owned) {
            return;
        }
        NodeId nodeId = claimant.get().nodeId();
        NodeAnswer answer = FeasibleNodes.in(before).on(claimant.get().namespace(), nodeId, take.requests());
        if (makes(answer, outcome)) {
            return;
        }
        if (outcome.accepted() != answer.admitted()) {
            world.reportViolation(
                    "I12: " + answer + " and the claims of " + take.allocationId() + " ended with " + outcome);
        }
        SimNode node = Objects.requireNonNull(world.node(nodeId), "no such node");
        if (outcome.accepted()) {
            take.requests().stream()
                    .map(request -> world.externalId(request.volume()))
                    .filter(id -> id != null && !world.topology().reaches(node, id))
                    .forEach(id -> world.reportViolation(
                            "R24: " + id + " is claimed by " + take.allocationId() + ", out of reach of " + node.id));
        } else if (outcome instanceof Outcome.Rejected rejected
                && rejected.reason() instanceof Rejection.NotAdmitted refused) {
            checkRefusal(world, node, answer, refused);
        }
    }

    /** Returns whether a command made volumes, and takes the claims when these and the other volumes are made. */
    public static boolean makes(NodeAnswer answer, Outcome outcome) {
        boolean onlyMade = outcome.fold(
                accepted -> accepted.effects().stream().anyMatch(Effect.VolumeStored.class::isInstance)
                        && accepted.effects().stream().noneMatch(Effect.ClaimTaken.class::isInstance),
                rejected -> false);
        return onlyMade
                && answer.missing().isEmpty()
                && answer.refusals().values().stream().allMatch(AdmissionCheck::isMade);
    }

    private static boolean isMade(AdmissionDecision refusal) {
        return refusal instanceof AdmissionDecision.Wait wait && wait.reason() == WaitReason.VOLUME_NOT_READY;
    }

    /** Whether the node has no slot. The command decides first about the volumes that it makes, so it may say so of another one, or of one that is being made. */
    private static boolean isFull(AdmissionDecision decision) {
        return decision instanceof AdmissionDecision.Wait wait && wait.reason() == WaitReason.NODE_FULL;
    }

    private static void checkRefusal(SimWorld world, SimNode node, NodeAnswer answer, Rejection.NotAdmitted refused) {
        AdmissionDecision expected = answer.refusals().get(refused.key());
        boolean full = (expected != null && isFull(expected))
                || (isFull(refused.decision())
                        && answer.refusals().values().stream().anyMatch(one -> isFull(one) || isMade(one)));
        if (!full && !refused.decision().equals(expected)) {
            world.reportViolation("I12: " + answer + " and the claims ended with " + refused);
        }
        if (refused.decision() instanceof AdmissionDecision.Never never && never.reason() == NeverReason.OUT_OF_REACH) {
            world.coverage().fault("claim out of reach");
            ExternalVolumeId id = world.externalId(refused.key());
            // Skips a volume that the provider has deleted although the answer was lost and the deletion was refused
            // later: its row remains, and the provider has forgotten from where it was reached.
            boolean deleted = id != null && !world.provider().knows(id);
            if (!deleted && (id == null || world.topology().reaches(node, id))) {
                world.reportViolation("R24: " + refused.key() + " is reported out of reach of " + node.id);
            }
        }
    }
}

package io.csi4j.core.internal.command;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Decides whether the current claims of a volume allow another claim. */
final class ClaimConflict {
    private ClaimConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, NodeId nodeId) {
        Claims claims = volume.claims();
        if (claims.isEmpty()) {
            return null;
        }
        RequestedCapability current = claims.capability().orElse(request.capability());
        if (!current.equals(request.capability())) {
            return otherCapability(current, claims.holders());
        }
        if (claims.adopted() > 0) {
            // A use that a node reports becomes a claim whatever the state has, so the claims may differ.
            for (Claim claim : claims) {
                if (!claim.capability().equals(request.capability())) {
                    return otherCapability(
                            claim.capability(),
                            holders(claims, other -> !other.capability().equals(request.capability())));
                }
            }
        }
        return switch (AccessRules.verdict(current.accessMode(), claims, request.mode(), nodeId)) {
            case FREE -> null;
            case OTHER_NODE ->
                waitFor(
                        WaitReason.CLAIMED_ON_OTHER_NODE,
                        holders(
                                claims,
                                claim -> !claim.nodeId().equals(nodeId)
                                        && (!current.accessMode().multiNode() || claim.mode() == ClaimMode.WRITE)),
                        "access mode " + current.accessMode() + " allows one node"
                                + (current.accessMode().multiNode() ? " to write from" : ""));
            case TAKEN ->
                waitFor(
                        WaitReason.WRITER_OR_CLAIM_TAKEN,
                        holders(
                                claims,
                                claim -> request.mode() == ClaimMode.READ
                                        || claims.writers() == 0
                                        || claim.mode() == ClaimMode.WRITE),
                        "access mode " + current.accessMode() + " allows no further claim");
        };
    }

    private static AdmissionDecision.Wait otherCapability(RequestedCapability used, List<Holder> holders) {
        return new AdmissionDecision.Wait(
                WaitReason.OTHER_CAPABILITY_IN_USE,
                holders,
                "the volume is in use as " + used + "; only one capability can be in use at a time");
    }

    /** Says whether the claims in the way are still in use, or only their release is awaited. */
    private static AdmissionDecision.Wait waitFor(WaitReason reason, List<Holder> holders, String rule) {
        boolean releasing = holders.stream().noneMatch(holder -> holder.state() == ClaimState.TAKEN);
        return new AdmissionDecision.Wait(
                reason, holders, releasing ? rule + ", and the release of the one in the way is not finished" : rule);
    }

    private static List<Holder> holders(Claims claims, Predicate<Claim> blocking) {
        return StreamSupport.stream(claims.spliterator(), false)
                .filter(blocking)
                .map(Holder::of)
                .toList();
    }
}

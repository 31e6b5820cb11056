package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;

/** The claims in the results of actions. */
final class ReleasedClaims {
    static final Shape<Claim> ON_NODE = Shape.<Claim>of("ReleasedClaim", "A claim in the result of an action.")
            .text("allocation", "The allocation.", claim -> claim.allocationId().value())
            .text("node", "The node.", claim -> claim.nodeId().value())
            .choice("state", "The state of its release.", ClaimState.class, Claim::state)
            .number(
                    "attempts",
                    "The failed attempts at the present step.",
                    claim -> claim.retry().attempts())
            .text("lastError", "The last failure.", claim -> claim.retry().lastError())
            .optional()
            .time(
                    "nextRetry",
                    "The time of the next attempt.",
                    claim -> claim.retry().nextRetry())
            .optional()
            .build();

    private ReleasedClaims() {}
}

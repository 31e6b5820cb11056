package io.csi4j.agent.internal.server;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.lifecycle.WaitingClaim;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Explains to an agent why its claim waits. */
final class WaitReason {
    private WaitReason() {}

    /** Returns the reason why the claims of an allocation wait, for operators; empty if it is not known. */
    static CompletableFuture<String> of(VolumeClaims claims, AllocationId allocation, List<ClaimRequest> requests) {
        if (requests.isEmpty()) {
            return CompletableFuture.completedFuture("");
        }
        return claims.status(requests.get(0).volume())
                .thenApply(status -> status.stream()
                        .flatMap(known -> known.waiting().stream())
                        .filter(waiting -> waiting.allocationId().equals(allocation))
                        .findFirst()
                        .map(WaitingClaim::text)
                        .orElse(""))
                .exceptionally(unknown -> "");
    }
}

package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Claims volumes for a workload and returns the mount requests. {@link WorkloadClaims} returns the complete grants
 * instead; a mount request has only the data that the node needs to mount the volume.
 */
@FunctionalInterface
public interface MountClaims {
    /**
     * Claims all volumes, or none, and waits until they are published to this node. If an equal request of the
     * allocation is waiting already, both requests get the same grant.
     *
     * @param requests at least one. Several requests for one volume become one claim, which is for writing if at least
     *     one of them is for writing
     * @return the mount requests, in the order of the claim requests. Cancelling the future withdraws the waiting
     *     request and releases its claims
     */
    CompletableFuture<List<NodeMount>> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /**
     * Returns the reason why the claims of an allocation wait, for operators; without anything sensitive.
     *
     * @return the reason; empty if it is not known
     */
    default String reason(AllocationId allocationId) {
        return "";
    }

    /**
     * Returns an object that converts granted claims to mount requests.
     *
     * @param claims claims the volumes
     */
    static MountClaims of(WorkloadClaims claims) {
        Objects.requireNonNull(claims, "claims");
        return (allocationId, requests) -> {
            var granted = claims.claim(allocationId, requests);
            CompletableFuture<List<NodeMount>> mounts = new CompletableFuture<>();
            var unused = granted.whenComplete((grant, error) -> {
                if (error != null) {
                    mounts.completeExceptionally(Futures.unwrap(error));
                } else {
                    try {
                        mounts.complete(
                                grant.volumes().stream().map(NodeMount::of).toList());
                    } catch (RuntimeException e) {
                        // Fails the future, because the grant could not be converted. Without this, the caller would
                        // wait forever.
                        mounts.completeExceptionally(e);
                    }
                }
            });
            var unusedToo = mounts.whenComplete((nothing, error) -> {
                if (error != null) {
                    granted.cancel(false);
                }
            });
            return mounts;
        };
    }
}

package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Claims volumes for a workload and returns the mounts: {@link WorkloadClaims} for a node that gets only the data it needs for its mounts.
 */
@FunctionalInterface
public interface MountClaims {
    /**
     * Claims all volumes, or none, and waits until they are published to this node. A repeat of the same request joins the waiting one.
     *
     * @param requests at least one; several requests for one volume become one claim, which writes if one of them writes
     * @return the mounts, in the order of the requests. Cancelling the future leaves the queue and releases the request's claims
     */
    CompletableFuture<List<NodeMount>> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /**
     * Returns the reason why the claims of an allocation wait, for operators; without anything sensitive.
     *
     * @return empty: the reason is not known
     */
    default String reason(AllocationId allocationId) {
        return "";
    }

    /**
     * Returns mounts for granted claims.
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
                        // Fails the future, because its waiter would otherwise wait forever.
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

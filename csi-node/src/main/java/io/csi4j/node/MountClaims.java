package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Claims volumes for a workload and tells what there is to mount: {@link WorkloadClaims} for a node that is given what
 * it needs of a grant and not all that the servers know of the volume.
 */
@FunctionalInterface
public interface MountClaims {
    /**
     * Claims all volumes, or none, and waits until they are published to this node. The same request again goes on
     * where the first is.
     *
     * @param allocationId the allocation
     * @param requests at least one; several of one volume become one claim, which writes if one of them does
     * @return what to mount, in the order of the requests. Cancelling it leaves the queue, and releases what the
     *     request took
     */
    CompletableFuture<List<NodeMount>> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /**
     * What the claims of an allocation wait for. It is shown as it is, so it holds nothing sensitive.
     *
     * @param allocationId the allocation
     * @return for an operator; empty: nothing that is known
     */
    default String reason(AllocationId allocationId) {
        return "";
    }

    /**
     * What claims that are granted ask of the node.
     *
     * @param claims claims volumes
     * @return the same claims
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
                        // Nobody else hears of it, and whoever waits would wait for ever.
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

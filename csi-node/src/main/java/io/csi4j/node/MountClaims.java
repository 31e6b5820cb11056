package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Claims volumes for a workload, in the same process or over the host's transport, and returns the mount requests. A
 * mount request has only the data that the node needs to mount the volume.
 */
@FunctionalInterface
public interface MountClaims {
    /**
     * Claims all volumes, or none, and waits until they are published to this node; see
     * {@link VolumeClaims#claim}. If an equal request of the allocation is waiting already, both requests get the same
     * grant.
     *
     * @param requests at least one, and one for each volume; see {@link ClaimRequest#merged}
     * @return the mount requests, one for each claim. Cancelling the future withdraws the waiting
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

    /** Returns an implementation that claims volumes from an engine in the same process. */
    static MountClaims of(VolumeLifecycle lifecycle) {
        VolumeClaims claims = lifecycle.claims();
        return (allocationId, requests) -> NodeMount.granted(claims.claim(allocationId, requests));
    }
}

package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Claims volumes for a workload, in the same process or over the host's transport. */
@FunctionalInterface
public interface WorkloadClaims {
    /**
     * Claims all volumes, or none, and waits until they are published to this node; see
     * {@link io.csi4j.core.lifecycle.VolumeClaims#claim}. If the same request is waiting already, the repeated request
     * waits for the same grant.
     *
     * @param requests at least one. Several requests for one volume become one claim; this claim is for writing if one
     *     of the requests is for writing
     * @return the grant. Cancelling the future withdraws the waiting request and releases its claims
     */
    CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /** Returns an implementation that claims volumes from an engine in the same process. */
    static WorkloadClaims of(VolumeLifecycle lifecycle) {
        return lifecycle.claims()::claim;
    }
}

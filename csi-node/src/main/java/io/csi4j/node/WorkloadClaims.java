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
     * Claims all volumes, or none, and waits until they are published to this node; see {@link io.csi4j.core.lifecycle.VolumeClaims#claim}. A repeat of the same
     * request joins the waiting one.
     *
     * @param requests at least one; several requests for one volume become one claim, which writes if one of them writes
     * @return the grant. Cancelling the future leaves the queue and releases the request's claims
     */
    CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /** Returns claims of an engine in the same process. */
    static WorkloadClaims of(VolumeLifecycle lifecycle) {
        return lifecycle.claims()::claim;
    }
}

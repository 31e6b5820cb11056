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
     * Claims all volumes, or none, and waits until they are published to this node; see {@link
     * io.csi4j.core.lifecycle.VolumeClaims#claim}. The same request again goes on where the first is.
     *
     * @param allocationId the allocation
     * @param requests at least one; several of one volume become one claim, which writes if one of them does
     * @return the grant. Cancelling it leaves the queue, and releases what the request took
     */
    CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests);

    /**
     * Claims with an engine in the same process.
     *
     * @param lifecycle the engine
     * @return its claims
     */
    static WorkloadClaims of(VolumeLifecycle lifecycle) {
        return lifecycle.claims()::claim;
    }
}

package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import java.util.List;
import java.util.Objects;

/**
 * The answer to a claim: the allocation holds all volumes that it requested, and each volume is published to the
 * allocation's node.
 *
 * @param allocationId the allocation
 * @param volumes one grant for each request, in the order of the requests
 */
public record ClaimGrant(AllocationId allocationId, List<VolumeGrant> volumes) {
    /** Copies the list of volumes, so that later changes of the caller's list have no effect. */
    public ClaimGrant {
        Objects.requireNonNull(allocationId, "allocationId");
        volumes = List.copyOf(volumes);
    }
}

package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import java.util.List;
import java.util.Objects;

/**
 * An allocation holds all the volumes it asked for, and each is published to its node.
 *
 * @param allocationId the allocation
 * @param volumes in the order of the requests
 */
public record ClaimGrant(AllocationId allocationId, List<VolumeGrant> volumes) {
    /** Copies the list. */
    public ClaimGrant {
        Objects.requireNonNull(allocationId, "allocationId");
        volumes = List.copyOf(volumes);
    }
}

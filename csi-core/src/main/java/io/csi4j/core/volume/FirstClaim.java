package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Objects;

/**
 * The claim for which a volume is made, until an allocation takes the volume. A volume without it was used, or was not
 * made for a claim.
 *
 * @param allocationId the allocation whose claim makes the volume
 * @param nodeId the node of the allocation, where the volume has to be usable
 * @param together all volumes that the same command made for the claim; if one of them cannot be made, the unused ones are
 *     deleted
 * @param keepUnused whether the volume stays if the claim never takes it
 * @param ended whether the allocation has ended without taking the volume, so that the next claim may have it
 */
public record FirstClaim(
        AllocationId allocationId, NodeId nodeId, List<VolumeKey> together, boolean keepUnused, boolean ended) {
    public FirstClaim {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(nodeId, "nodeId");
        together = List.copyOf(together);
    }

    /**
     * Creates the claim of an allocation that has not ended.
     *
     * @param together all volumes that are made for the claim
     * @param keepUnused whether the volume stays if the claim never takes it
     */
    public FirstClaim(AllocationId allocationId, NodeId nodeId, List<VolumeKey> together, boolean keepUnused) {
        this(allocationId, nodeId, together, keepUnused, false);
    }

    /** Returns the claim of the allocation after its end. */
    public FirstClaim asEnded() {
        return new FirstClaim(allocationId, nodeId, together, keepUnused, true);
    }
}

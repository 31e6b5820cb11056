package io.csi4j.core.placement;

import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import java.util.List;
import java.util.Objects;

/**
 * Places allocations together with their claims, in one transaction. A reservation takes volumes that can be claimed
 * now, even if other claims wait for them. A scheduler that must not starve waiting claims checks
 * {@link io.csi4j.core.lifecycle.VolumeStatus#waiting()} first, or places the allocation without a reservation and lets
 * it wait for its claims in the queue.
 */
public final class Reservation {
    private Reservation() {}

    /**
     * Returns the command for one allocation and its claims.
     *
     * @param allocation the allocation with its node
     * @param requests at least one; several requests for one volume are {@link ClaimRequest#merged}
     * @return the command; rejected as a whole if one claim cannot be taken
     * @throws IllegalArgumentException if there is no request
     */
    public static Batch of(AllocationCommand.UpsertAllocation allocation, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocation, "allocation");
        Objects.requireNonNull(requests, "requests");
        return new Batch(
                List.of(allocation, new ClaimCommand.TakeClaims(allocation.allocationId(), requests, allocation.at())),
                allocation.at());
    }
}

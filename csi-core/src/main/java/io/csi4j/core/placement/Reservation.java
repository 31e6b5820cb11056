package io.csi4j.core.placement;

import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import java.util.List;
import java.util.Objects;

/**
 * Places allocations together with their claims: in one transaction, all of it or nothing. It takes what is free and
 * knows of no queue: who waits for the same volumes is passed. A scheduler that must not starve them looks at {@link
 * io.csi4j.core.lifecycle.VolumeStatus#waiting()} first, or places without a reservation and has the allocation ask for
 * its claims, in its turn.
 */
public final class Reservation {
    private Reservation() {}

    /**
     * One allocation with its claims.
     *
     * @param allocation where it is placed
     * @param requests at least one; several of one volume are {@link ClaimRequest#merged}
     * @return the command; refused as a whole if one claim cannot be taken
     * @throws IllegalArgumentException if no volume is named
     */
    public static Batch of(AllocationCommand.UpsertAllocation allocation, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocation, "allocation");
        Objects.requireNonNull(requests, "requests");
        return new Batch(
                List.of(allocation, new ClaimCommand.TakeClaims(allocation.allocationId(), requests, allocation.at())),
                allocation.at());
    }
}

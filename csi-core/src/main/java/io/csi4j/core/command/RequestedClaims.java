package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A stored request of an allocation for claims. The leader takes the claims as soon as they can be granted, also if the
 * server that stored the request has failed. The row is removed together with that: when the claims are taken, when the
 * request is refused or withdrawn, or when the allocation ends.
 *
 * @param requests at least one, as {@link ClaimRequest#merged} returns them
 * @param createIndex the index of the command that stored the request
 * @param requestedAt the time of the request, by the clock of the server that proposed it
 */
public record RequestedClaims(
        AllocationId allocationId, List<ClaimRequest> requests, long createIndex, Instant requestedAt) {
    /** @throws IllegalArgumentException if there is no request */
    public RequestedClaims {
        requests = ClaimRequest.checked(allocationId, requests);
        Objects.requireNonNull(requestedAt, "requestedAt");
    }

    /**
     * Identifies a stored request.
     *
     * @param createIndex the index of the command that stored the request
     */
    public record Key(AllocationId allocationId, long createIndex) implements Comparable<Key> {
        public Key {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public int compareTo(Key other) {
            int byAllocation = allocationId.value().compareTo(other.allocationId.value());
            return byAllocation != 0 ? byAllocation : Long.compare(createIndex, other.createIndex);
        }
    }

    /** Returns the key of this row. */
    public Key key() {
        return new Key(allocationId, createIndex);
    }
}

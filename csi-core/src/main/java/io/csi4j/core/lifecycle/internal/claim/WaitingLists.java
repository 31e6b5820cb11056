package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The waiting requests of each volume, in order of arrival. Thread-safe. */
final class WaitingLists {
    private final Map<VolumeKey, LinkedHashSet<PendingClaim>> waiting = new HashMap<>();

    /** Adds a request, and returns whether it is the only one that waits for its volumes. */
    synchronized boolean add(PendingClaim claim) {
        boolean alone = true;
        for (ClaimRequest request : claim.requests) {
            alone &= !waiting.containsKey(request.volume());
        }
        for (ClaimRequest request : claim.requests) {
            waiting.computeIfAbsent(request.volume(), key -> new LinkedHashSet<>(2))
                    .add(claim);
        }
        return alone;
    }

    synchronized void remove(PendingClaim claim) {
        for (ClaimRequest request : claim.requests) {
            LinkedHashSet<PendingClaim> queue = waiting.get(request.volume());
            if (queue != null && queue.remove(claim) && queue.isEmpty()) {
                waiting.remove(request.volume());
            }
        }
    }

    synchronized boolean any(VolumeKey key) {
        return waiting.containsKey(key);
    }

    /** Returns the requests that wait for a volume. */
    synchronized List<PendingClaim> of(VolumeKey key) {
        LinkedHashSet<PendingClaim> queue = waiting.get(key);
        return queue == null ? List.of() : List.copyOf(queue);
    }

    /** Returns all requests, each once. */
    synchronized Set<PendingClaim> all() {
        Set<PendingClaim> all = new LinkedHashSet<>();
        waiting.values().forEach(all::addAll);
        return all;
    }

    /**
     * Returns the oldest request for a volume that a later request must not overtake; empty if there is none.
     *
     * @param claim the later request
     * @param inTheWay returns whether the later request, if it were granted first as a read, would block the given
     *     earlier request on the same node
     */
    Optional<PendingClaim> ahead(PendingClaim claim, VolumeKey key, Predicate<PendingClaim> inTheWay) {
        return of(key).stream()
                .takeWhile(other -> other != claim)
                .filter(other -> other.mustPrecede(claim, key, inTheWay.test(other)))
                .findFirst();
    }
}

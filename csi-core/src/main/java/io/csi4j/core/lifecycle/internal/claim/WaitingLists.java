package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The waiting requests of each volume, in order of arrival. Thread-safe. */
final class WaitingLists {
    /** The requests for each volume, by their position in the order of arrival. */
    private final Map<VolumeKey, NavigableMap<Long, PendingClaim>> waiting = new HashMap<>();

    private long arrivals;

    /** Adds a request, and returns whether it is the only one that waits for its volumes. */
    synchronized boolean add(PendingClaim claim) {
        boolean alone = true;
        for (ClaimRequest request : claim.requests) {
            alone &= !waiting.containsKey(request.volume());
        }
        claim.position = ++arrivals;
        for (ClaimRequest request : claim.requests) {
            waiting.computeIfAbsent(request.volume(), key -> new TreeMap<>()).put(claim.position, claim);
        }
        return alone;
    }

    synchronized void remove(PendingClaim claim) {
        for (ClaimRequest request : claim.requests) {
            waiting.computeIfPresent(request.volume(), (key, queue) -> {
                queue.remove(claim.position);
                return queue.isEmpty() ? null : queue;
            });
        }
    }

    synchronized boolean any(VolumeKey key) {
        return waiting.containsKey(key);
    }

    /** Returns the requests that wait for a volume. */
    synchronized List<PendingClaim> of(VolumeKey key) {
        return List.copyOf(queue(key).values());
    }

    /**
     * Returns some of the requests that wait for a volume, oldest first.
     *
     * @param position the position after which they stand
     * @param most the largest number of requests to return
     */
    synchronized List<PendingClaim> after(VolumeKey key, long position, int most) {
        return queue(key).tailMap(position, false).values().stream().limit(most).toList();
    }

    private NavigableMap<Long, PendingClaim> queue(VolumeKey key) {
        return waiting.getOrDefault(key, Collections.emptyNavigableMap());
    }

    /** Returns all requests, each once. */
    synchronized Set<PendingClaim> all() {
        Set<PendingClaim> all = new LinkedHashSet<>();
        waiting.values().forEach(queue -> all.addAll(queue.values()));
        return all;
    }

    /**
     * Returns the oldest request for a volume that a later request must not overtake; empty if there is none.
     *
     * @param claim the later request
     * @param inTheWay returns whether the later request, if it were granted first as a read, would block the given
     *     earlier request on the same node
     */
    synchronized Optional<PendingClaim> ahead(PendingClaim claim, VolumeKey key, Predicate<PendingClaim> inTheWay) {
        return queue(key).headMap(claim.position, false).values().stream()
                .filter(other -> other.mustPrecede(claim, key, inTheWay.test(other)))
                .findFirst();
    }
}

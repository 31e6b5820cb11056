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

/** Who waits for which volume, in the order they came. Safe for use by many threads. */
final class WaitingLists {
    private final Map<VolumeKey, LinkedHashSet<PendingClaim>> waiting = new HashMap<>();

    /** Answers whether nobody waits for any of its volumes. */
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

    /** Who waits for a volume now. */
    synchronized List<PendingClaim> of(VolumeKey key) {
        LinkedHashSet<PendingClaim> queue = waiting.get(key);
        return queue == null ? List.of() : List.copyOf(queue);
    }

    /** Everybody, each once. */
    synchronized Set<PendingClaim> all() {
        Set<PendingClaim> all = new LinkedHashSet<>();
        waiting.values().forEach(all::addAll);
        return all;
    }

    /**
     * The first of those that a claim has to let go before it on a volume.
     *
     * @param inTheWay whether that claim, if it reads, would keep another one from writing
     */
    Optional<PendingClaim> ahead(PendingClaim claim, VolumeKey key, Predicate<PendingClaim> inTheWay) {
        return of(key).stream()
                .takeWhile(other -> other != claim)
                .filter(other -> other.keepsBehind(claim, key, inTheWay.test(other)))
                .findFirst();
    }
}

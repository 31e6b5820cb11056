package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim.HeldBack;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim.Precedence;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiting requests of each volume, in order of arrival. Thread-safe. */
final class WaitingLists {
    private final Map<VolumeKey, WaitingList> lists = new HashMap<>();
    private final Map<AllocationId, Set<PendingClaim>> allocations = new HashMap<>();

    private long arrivals;

    /** Adds a request, and returns whether it is the only one that waits for its volumes. */
    synchronized boolean add(PendingClaim claim) {
        boolean alone = true;
        for (ClaimRequest request : claim.requests) {
            alone &= !lists.containsKey(request.volume());
        }
        claim.position = ++arrivals;
        allocations
                .computeIfAbsent(claim.allocationId, id -> new LinkedHashSet<>(2))
                .add(claim);
        for (ClaimRequest request : claim.requests) {
            lists.computeIfAbsent(request.volume(), WaitingList::new).add(claim);
        }
        return alone;
    }

    /** Removes a request, and returns the requests that have to be decided again. */
    synchronized Set<PendingClaim> remove(PendingClaim claim) {
        allocations.computeIfPresent(claim.allocationId, (id, all) -> all.remove(claim) && all.isEmpty() ? null : all);
        Set<PendingClaim> free = each(claim, WaitingList::remove);
        claim.requests.forEach(
                request -> lists.computeIfPresent(request.volume(), (key, list) -> list.isEmpty() ? null : list));
        return free;
    }

    /**
     * Records for which reason a request waits now.
     *
     * @return the requests that have to be decided again, because this request may hold them back no more
     */
    synchronized Set<PendingClaim> update(PendingClaim claim) {
        return each(claim, WaitingList::update);
    }

    private Set<PendingClaim> each(
            PendingClaim claim, BiFunction<WaitingList, PendingClaim, Collection<PendingClaim>> change) {
        Set<PendingClaim> free = Set.of();
        for (ClaimRequest request : claim.requests) {
            WaitingList list = lists.get(request.volume());
            Collection<PendingClaim> more = list == null ? List.of() : change.apply(list, claim);
            if (!more.isEmpty()) {
                free = free.isEmpty() ? new LinkedHashSet<>() : free;
                free.addAll(more);
            }
        }
        return free;
    }

    /** Returns the waiting requests of an allocation, oldest first. */
    synchronized List<PendingClaim> of(AllocationId allocationId) {
        return List.copyOf(allocations.getOrDefault(allocationId, Set.of()));
    }

    /** Returns the waits for a volume as callers may see them, oldest first. */
    synchronized List<WaitingClaim> of(VolumeKey key) {
        WaitingList list = lists.get(key);
        return list == null
                ? List.of()
                : list.requests().stream().map(this::show).toList();
    }

    /** Returns the number of requests that wait for a volume. */
    synchronized int size(VolumeKey key) {
        WaitingList list = lists.get(key);
        return list == null ? 0 : list.places.size();
    }

    /** Returns all requests, each once. */
    synchronized Set<PendingClaim> all() {
        Set<PendingClaim> all = new LinkedHashSet<>();
        lists.values().forEach(list -> all.addAll(list.requests()));
        return all;
    }

    /** Returns the requests that wait for a volume behind each earlier request that holds back later ones. */
    synchronized List<PendingClaim> behindAll(VolumeKey key) {
        HeldBack wait = new HeldBack(key, null);
        WaitingList list = lists.get(key);
        return list == null
                ? List.of()
                : list.requests().stream()
                        .filter(claim -> wait.equals(claim.heldBack))
                        .toList();
    }

    /** Returns the wait of a request as callers may see it. */
    synchronized WaitingClaim show(PendingClaim claim) {
        HeldBack wait = claim.heldBack;
        if (wait == null) {
            return claim.toWaitingClaim(null, Optional.empty());
        }
        Optional<PendingClaim> first = Optional.ofNullable(wait.by())
                .or(() -> Optional.ofNullable(lists.get(wait.volume())).flatMap(WaitingList::first));
        return claim.toWaitingClaim(wait, first.filter(other -> other != claim));
    }

    /**
     * Returns the wait of a request for a volume behind an earlier request; empty if it waits behind none.
     *
     * @param inTheWay returns whether the request, if it were granted first as a read, would block the given earlier
     *     request on the same node
     */
    synchronized Optional<HeldBack> ahead(PendingClaim claim, VolumeKey key, Predicate<PendingClaim> inTheWay) {
        return Optional.ofNullable(lists.get(key)).flatMap(list -> list.ahead(claim, inTheWay));
    }

    /**
     * The requests that wait for one volume, in order of arrival.
     *
     * <p>When a request is granted, the list does not look at all the others. A request that shares the volume with no other
     * node waits behind every earlier request that holds back later ones. So of all these requests, only the oldest has to
     * be decided again. Each request that may share the volume is recorded at the one request that holds it back.
     */
    private static final class WaitingList {
        private final VolumeKey volume;
        private final NavigableMap<Long, Place> places = new TreeMap<>();
        /** The requests that hold back later ones, by their kind. */
        private final Map<Kind, Holding> holding = new HashMap<>(2);

        /**
         * The properties that are equal in reads that several nodes can have at once. The group and the
         * ownership options count, because a node may have to give the files of the volume to the group.
         */
        private record Kind(RequestedCapability capability, String group, OwnershipOptions ownership) {
            static Kind of(ClaimRequest request) {
                MountOptions options = request.mountOptions();
                return new Kind(request.capability(), options.volumeMountGroup(), options.ownership());
            }
        }

        /** The place of one request in this list. */
        private static final class Place {
            final PendingClaim claim;
            Precedence precedence = Precedence.NONE;
            /** The earlier request at which this one is recorded; null if there is none. */
            @Nullable PendingClaim recordedAt;
            /** The later requests that wait until this request holds them back no more. */
            final Set<PendingClaim> behind = new LinkedHashSet<>(1);

            Place(PendingClaim claim) {
                this.claim = claim;
            }
        }

        /** The requests of one kind that hold back later ones. */
        private static final class Holding {
            final NavigableMap<Long, PendingClaim> all = new TreeMap<>();
            /** Those that hold back even some of the later reads of the same kind. */
            final NavigableMap<Long, PendingClaim> reads = new TreeMap<>();
        }

        WaitingList(VolumeKey volume) {
            this.volume = volume;
        }

        void add(PendingClaim claim) {
            places.put(claim.position, new Place(claim));
        }

        boolean isEmpty() {
            return places.isEmpty();
        }

        /** Returns the requests, oldest first. */
        List<PendingClaim> requests() {
            return places.values().stream().map(place -> place.claim).toList();
        }

        /** Removes a request, and returns the requests that have to be decided again. */
        Collection<PendingClaim> remove(PendingClaim claim) {
            Place place = places.remove(claim.position);
            return place == null ? List.of() : moved(place, Precedence.NONE, null);
        }

        /**
         * Records for which reason a request waits now.
         *
         * @return the requests that have to be decided again, because this request may hold them back no more
         */
        Collection<PendingClaim> update(PendingClaim claim) {
            Place place = places.get(claim.position);
            HeldBack wait = claim.heldBack;
            return place == null
                    ? List.of()
                    : moved(
                            place,
                            claim.precedence(volume),
                            wait != null && wait.volume().equals(volume) ? wait.by() : null);
        }

        private Collection<PendingClaim> moved(Place place, Precedence now, @Nullable PendingClaim recordedAt) {
            PendingClaim claim = place.claim;
            if (place.recordedAt != recordedAt) {
                Optional.ofNullable(place.recordedAt).map(this::place).ifPresent(other -> other.behind.remove(claim));
                Optional.ofNullable(recordedAt).map(this::place).ifPresent(other -> other.behind.add(claim));
                place.recordedAt = recordedAt;
            }
            if (place.precedence == now) {
                return List.of();
            }
            place.precedence = now;
            hold(claim, now);
            List<PendingClaim> free = new ArrayList<>(place.behind);
            first().filter(this::isHeldBack).ifPresent(free::add);
            return free;
        }

        private @Nullable Place place(PendingClaim claim) {
            return places.get(claim.position);
        }

        private boolean isHeldBack(PendingClaim claim) {
            HeldBack wait = claim.heldBack;
            return wait != null && wait.volume().equals(volume);
        }

        private void hold(PendingClaim claim, Precedence now) {
            Kind kind = Kind.of(claim.on(volume).orElseThrow());
            Holding same = holding.computeIfAbsent(kind, none -> new Holding());
            put(same.all, claim, now != Precedence.NONE);
            put(same.reads, claim, now != Precedence.NONE && now != Precedence.OVER_WRITES);
            if (same.all.isEmpty()) {
                holding.remove(kind);
            }
        }

        private static void put(Map<Long, PendingClaim> map, PendingClaim claim, boolean contained) {
            if (contained) {
                map.put(claim.position, claim);
            } else {
                map.remove(claim.position);
            }
        }

        /** Returns the oldest request that holds back later ones; empty if there is none. */
        Optional<PendingClaim> first() {
            PendingClaim first = null;
            for (Holding same : holding.values()) {
                first = older(first, same.all.firstEntry().getValue());
            }
            return Optional.ofNullable(first);
        }

        private static PendingClaim older(@Nullable PendingClaim one, PendingClaim other) {
            return one == null || other.position < one.position ? other : one;
        }

        /**
         * Returns the wait of a request behind an earlier one; empty if no earlier request holds it back.
         *
         * @param inTheWay returns whether the request, if it were granted first as a read, would block the given earlier
         *     request on the same node
         */
        Optional<HeldBack> ahead(PendingClaim claim, Predicate<PendingClaim> inTheWay) {
            ClaimRequest request = claim.on(volume).orElseThrow();
            if (!PendingClaim.isShared(request)) {
                return first().filter(other -> other.position < claim.position)
                        .map(other -> new HeldBack(volume, null));
            }
            PendingClaim first = null;
            Kind kind = Kind.of(request);
            for (Map.Entry<Kind, Holding> entry : holding.entrySet()) {
                if (!entry.getKey().equals(kind)) {
                    first = older(first, entry.getValue().all.firstEntry().getValue());
                    continue;
                }
                Optional<PendingClaim> same = entry.getValue().reads.headMap(claim.position, false).values().stream()
                        .filter(other -> other.mustPrecede(claim, volume, inTheWay.test(other)))
                        .findFirst();
                if (same.isPresent()) {
                    first = older(first, same.get());
                }
            }
            return first == null || first.position >= claim.position
                    ? Optional.empty()
                    : Optional.of(new HeldBack(volume, Objects.requireNonNull(first)));
        }
    }
}

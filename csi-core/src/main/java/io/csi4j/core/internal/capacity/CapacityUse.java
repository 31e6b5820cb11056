package io.csi4j.core.internal.capacity;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The bytes of volumes that are not in the answers of plugins yet: those whose creation is not finished in a state, and
 * those that are to be made besides. Each volume counts once. Not thread-safe, except for what is read of the state.
 */
public final class CapacityUse {
    private final Unfinished unfinished;
    private final Map<VolumeKey, Sized> added;

    private CapacityUse(Unfinished unfinished, Map<VolumeKey, Sized> added) {
        this.unfinished = unfinished;
        this.added = added;
    }

    /** The place and the size of a volume that is not made yet. */
    private record Sized(CapacityPlace place, long bytes) {}

    /** Returns the use by the creations of a state; the state is read when the use of a place is asked for. */
    public static CapacityUse of(StateReader state) {
        return new CapacityUse(new Unfinished(state), new HashMap<>());
    }

    /** Returns a copy that can be added to without changing this object. */
    public CapacityUse copy() {
        return new CapacityUse(unfinished, new HashMap<>(added));
    }

    /** Adds a volume that is to be made. */
    public void add(VolumeKey key, CapacityPlace place, long bytes) {
        added.put(key, new Sized(place, bytes));
    }

    /** Adds the volumes that another use has added. */
    public void addAll(CapacityUse other) {
        added.putAll(other.added);
    }

    /** Returns whether no volume was added. */
    public boolean isEmpty() {
        return added.isEmpty();
    }

    /** Returns the bytes at a place; {@link Long#MAX_VALUE} if they are more. */
    long at(CapacityPlace place) {
        Map<VolumeKey, Sized> there = unfinished.at(place);
        long sum = 0;
        for (Map.Entry<VolumeKey, Sized> each : there.entrySet()) {
            if (!added.containsKey(each.getKey())) {
                sum = sum(sum, each.getValue().bytes());
            }
        }
        for (Sized each : added.values()) {
            if (each.place().equals(place)) {
                sum = sum(sum, each.bytes());
            }
        }
        return sum;
    }

    /** Returns the sum of two numbers that are not negative; {@link Long#MAX_VALUE} if it is greater. */
    public static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    /** Returns the least size of a volume, in bytes; 0 if the plugin decides. */
    public static long bytes(Volume volume) {
        return Math.max(
                0,
                volume.spec().capacityRange().map(CapacityRange::requiredBytes).orElse(0L));
    }

    /** The creations of a state that are not finished. Thread-safe. */
    private static final class Unfinished {
        private final StateReader state;
        private Map<CapacityPlace, Map<VolumeKey, Sized>> places = Map.of();
        private boolean read;

        Unfinished(StateReader state) {
            this.state = state;
        }

        synchronized Map<VolumeKey, Sized> at(CapacityPlace place) {
            if (!read) {
                places = read();
                read = true;
            }
            return places.getOrDefault(place, Map.of());
        }

        private Map<CapacityPlace, Map<VolumeKey, Sized>> read() {
            Map<CapacityPlace, Map<VolumeKey, Sized>> found = new HashMap<>();
            for (VolumeKey key : state.unsettledVolumes()) {
                Optional<Volume> creating = state.volume(key).filter(CapacityUse::mayBeBeingMade);
                creating.flatMap(CapacityPlace::of)
                        .ifPresent(place -> found.computeIfAbsent(place, none -> new HashMap<>())
                                .put(key, new Sized(place, bytes(creating.orElseThrow()))));
            }
            return found;
        }
    }

    /** Returns whether a call may still make the volume: also one that was given up before its outcome was known. */
    private static boolean mayBeBeingMade(Volume volume) {
        return volume.phase() == VolumePhase.CREATING
                || (volume.phase() == VolumePhase.DELETING
                        && volume.externalVolumeId().isEmpty());
    }
}

package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of all volumes, behind a door. Once it is shut, nobody comes in, and nobody is half-way in: what is inside
 * then is all there will ever be.
 */
final class LaneMap {
    private final Map<VolumeKey, VolumeLane> lanes = new ConcurrentHashMap<>();
    private final Function<VolumeEntry, VolumeLane> make;
    /** Read by who comes in, written by who shuts the door; held for a moment, and nothing is waited for under it. */
    private final ReadWriteLock door = new ReentrantReadWriteLock();

    private boolean shut;

    LaneMap(Function<VolumeEntry, VolumeLane> make) {
        this.make = make;
    }

    /** Lets in what was on record; false: the door is shut, and nothing was let in. */
    boolean open(Collection<VolumeEntry> records) {
        door.readLock().lock();
        try {
            if (!shut) {
                records.forEach(entry -> lanes.put(entry.key(), make.apply(entry)));
            }
            return !shut;
        } finally {
            door.readLock().unlock();
        }
    }

    /** Gives work to the lane of a volume, a new one if need be; empty: the door is shut, and it was not given. */
    <T> Optional<T> give(VolumeKey key, Function<VolumeLane, T> work) {
        AtomicReference<@Nullable T> given = new AtomicReference<>();
        door.readLock().lock();
        try {
            if (shut) {
                return Optional.empty();
            }
            // Under the map's lock for the key, so that no lane is retired between being found and being given work.
            lanes.compute(key, (name, found) -> {
                VolumeLane lane = found == null ? make.apply(VolumeEntry.empty(name, false)) : found;
                given.set(work.apply(lane));
                return lane;
            });
        } finally {
            door.readLock().unlock();
        }
        return Optional.ofNullable(given.get());
    }

    /** Takes a lane out that nobody would miss; false: somebody came meanwhile. */
    boolean retire(VolumeLane lane) {
        return lanes.computeIfPresent(lane.key, (key, found) -> found.equals(lane) && lane.removable() ? null : found)
                == null;
    }

    Optional<VolumeLane> of(VolumeKey key) {
        return Optional.ofNullable(lanes.get(key));
    }

    Collection<VolumeLane> all() {
        return lanes.values();
    }

    /** Shuts the door. */
    void shut() {
        door.writeLock().lock();
        try {
            shut = true;
        } finally {
            door.writeLock().unlock();
        }
    }

    /** What is inside; complete once the door is shut. */
    List<VolumeLane> inside() {
        return List.copyOf(lanes.values());
    }
}

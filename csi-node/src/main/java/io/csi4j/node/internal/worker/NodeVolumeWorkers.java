package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.internal.ledger.VolumeEntry;
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
 * The workers of all volumes of the node. After {@link #shut} no worker is added, also by a thread that was about to.
 */
public final class NodeVolumeWorkers {
    private final Map<VolumeKey, NodeVolumeWorker> workers = new ConcurrentHashMap<>();
    private final Function<VolumeEntry, NodeVolumeWorker> make;
    /** Read by who comes in, written by who shuts the door; held for a moment, and nothing is waited for under it. */
    private final ReadWriteLock door = new ReentrantReadWriteLock();

    private boolean shut;

    public NodeVolumeWorkers(Function<VolumeEntry, NodeVolumeWorker> make) {
        this.make = make;
    }

    /** Lets in what was on record; false: the door is shut, and nothing was let in. */
    public boolean open(Collection<VolumeEntry> records) {
        door.readLock().lock();
        try {
            if (!shut) {
                records.forEach(entry -> workers.put(entry.key(), make.apply(entry)));
            }
            return !shut;
        } finally {
            door.readLock().unlock();
        }
    }

    /** Gives work to the worker of a volume, a new one if need be; empty: the door is shut, and it was not given. */
    <T> Optional<T> give(VolumeKey key, Function<NodeVolumeWorker, T> work) {
        AtomicReference<@Nullable T> given = new AtomicReference<>();
        door.readLock().lock();
        try {
            if (shut) {
                return Optional.empty();
            }
            // Under the lock of the key, so no worker is removed between the search and its work.
            workers.compute(key, (name, found) -> {
                NodeVolumeWorker worker = found == null ? make.apply(VolumeEntry.empty(name, false)) : found;
                given.set(work.apply(worker));
                return worker;
            });
        } finally {
            door.readLock().unlock();
        }
        return Optional.ofNullable(given.get());
    }

    /** Removes a worker that has nothing to do; false: a request came meanwhile. */
    public boolean retire(NodeVolumeWorker worker) {
        return workers.computeIfPresent(
                        worker.key, (key, found) -> found.equals(worker) && worker.removable() ? null : found)
                == null;
    }

    public Optional<NodeVolumeWorker> of(VolumeKey key) {
        return Optional.ofNullable(workers.get(key));
    }

    public Collection<NodeVolumeWorker> all() {
        return workers.values();
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
    List<NodeVolumeWorker> inside() {
        return List.copyOf(workers.values());
    }
}

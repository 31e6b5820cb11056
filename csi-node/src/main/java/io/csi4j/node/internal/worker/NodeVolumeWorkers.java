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

/** The workers of all volumes of the node. After {@link #shut} no worker is added, even by a concurrent thread. */
public final class NodeVolumeWorkers {
    private final Map<VolumeKey, NodeVolumeWorker> workers = new ConcurrentHashMap<>();
    private final Function<VolumeEntry, NodeVolumeWorker> make;
    /**
     * Guards the closing: {@link #shut} holds the write lock, and a thread that adds a worker holds the read lock, both
     * only for a short time.
     */
    private final ReadWriteLock door = new ReentrantReadWriteLock();

    private boolean shut;

    public NodeVolumeWorkers(Function<VolumeEntry, NodeVolumeWorker> make) {
        this.make = make;
    }

    /** Adds a worker for each recorded volume. Returns false, without adding any worker, after {@link #shut}. */
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

    /** Passes work to the worker of a volume, and creates the worker if necessary. Returns empty after {@link #shut}. */
    <T> Optional<T> give(VolumeKey key, Function<NodeVolumeWorker, T> work) {
        AtomicReference<@Nullable T> given = new AtomicReference<>();
        door.readLock().lock();
        try {
            if (shut) {
                return Optional.empty();
            }
            // The work is passed while the map locks the key, so that the worker cannot be removed before it gets the
            // work.
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

    /** Removes a worker that has nothing to do. Returns false if a request arrived in the meantime. */
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

    /** Ensures that no worker is added any more. The existing workers continue. */
    void shut() {
        door.writeLock().lock();
        try {
            shut = true;
        } finally {
            door.writeLock().unlock();
        }
    }

    /** Returns all workers. After {@link #shut}, this list stays the same. */
    List<NodeVolumeWorker> inside() {
        return List.copyOf(workers.values());
    }
}

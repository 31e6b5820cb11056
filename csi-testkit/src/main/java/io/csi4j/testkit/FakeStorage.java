package io.csi4j.testkit;

import io.csi4j.testkit.history.Leak;
import io.csi4j.testkit.internal.disk.DirectoryData;
import io.csi4j.testkit.internal.disk.RealMounts;
import io.csi4j.testkit.internal.node.FakeInlineVolumes;
import io.csi4j.testkit.internal.node.LeafEffects;
import io.csi4j.testkit.internal.node.NodeEffects;
import io.csi4j.testkit.internal.service.InFlight;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.Condition;
import io.csi4j.testkit.internal.storage.Leaks;
import io.csi4j.testkit.internal.storage.MemoryData;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeUse;
import io.csi4j.testkit.internal.storage.StoredSegments;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.csi4j.testkit.internal.store.FileStore;
import io.csi4j.testkit.internal.store.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The storage of fake plugins: volumes, snapshots, and their publications.
 *
 * <p>Give the same storage to several {@link FakeCsiPlugin}s, one for each node, and they behave like the instances of one plugin on several nodes. Thread-safe.
 */
public final class FakeStorage {
    /** Capacity for ten thousand volumes of the usual size. */
    static final long DEFAULT_CAPACITY = 10_000L * (10L << 30);

    /** Numbers the storages of this process, so that their objects have different ids and a mix-up is detected. */
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Backend backend;
    private final NodeEffects effects;
    private final InFlight controllerCalls = new InFlight();
    private final @Nullable MemoryData memory;

    private FakeStorage(Backend backend, NodeEffects effects, @Nullable MemoryData memory) {
        this.backend = backend;
        this.effects = effects;
        this.memory = memory;
    }

    /**
     * Returns an empty storage in memory with a large capacity. Nothing is mounted; publishing creates the directory or file at the target path, and unpublishing removes
     * it.
     */
    public static FakeStorage inMemory() {
        return inMemory(DEFAULT_CAPACITY);
    }

    /**
     * Returns an empty storage in memory.
     *
     * @param capacityBytes the capacity for volumes and snapshots together
     * @throws IllegalArgumentException when the capacity is not greater than zero
     */
    public static FakeStorage inMemory(long capacityBytes) {
        return inMemory(capacityBytes, new LeafEffects());
    }

    /**
     * Returns an empty storage in memory that uses no files, for simulations and benchmarks: the paths of publications are recorded, but nothing is
     * created there.
     *
     * @param capacityBytes the capacity for volumes and snapshots together
     * @throws IllegalArgumentException when the capacity is not greater than zero
     */
    public static FakeStorage withoutFiles(long capacityBytes) {
        return inMemory(capacityBytes, NodeEffects.NONE);
    }

    private static FakeStorage inMemory(long capacityBytes, NodeEffects effects) {
        requirePositive(capacityBytes);
        ReentrantLock lock = new ReentrantLock();
        MemoryData data = new MemoryData();
        String label = "m" + NUMBER.incrementAndGet();
        Backend backend = new Backend(
                new MemoryStore(label, lock),
                nodeId -> new MemoryStore(label, lock),
                data,
                capacityBytes,
                Clock.systemUTC());
        return new FakeStorage(backend, effects, data);
    }

    /**
     * Returns a storage in a directory, which other processes may use as well: volumes are directories and images,
     * publishing makes real mounts if the process has the permission to mount, and the whole storage survives if the
     * process is killed.
     *
     * @param directory created if missing
     * @param capacityBytes the capacity for volumes and snapshots together
     * @throws IllegalArgumentException when the capacity is not greater than zero
     * @throws java.io.UncheckedIOException when the directory cannot be used
     */
    public static FakeStorage inDirectory(Path directory, long capacityBytes) {
        requirePositive(capacityBytes);
        Clock clock = Clock.systemUTC();
        FileStore store = new FileStore(directory, Long.toString(clock.millis(), 36));
        DirectoryData data = new DirectoryData(store.directory());
        Backend backend = new Backend(store, nodeId -> store.below("node-state", nodeId), data, capacityBytes, clock);
        return new FakeStorage(backend, new RealMounts(data), null);
    }

    static void requirePositive(long capacityBytes) {
        if (capacityBytes <= 0) {
            throw new IllegalArgumentException("capacity must be greater than zero, not " + capacityBytes);
        }
    }

    /**
     * Adds a volume without a call, like a volume that an administrator created at the provider.
     *
     * @param volumeId the id; an existing volume is not changed
     * @param capacityBytes the size
     */
    public void provision(String volumeId, long capacityBytes) {
        new StoredVolumes(backend).provision(volumeId, capacityBytes);
    }

    /**
     * Sets the capacity of a topology segment, also while plugins run. It may be less than its volumes have: then there is no room until enough of them
     * are deleted. A capacity for the same segment and the same parameters is replaced. A storage in a directory keeps it there.
     */
    public void setCapacity(SegmentCapacity capacity) {
        new StoredSegments(backend).put(capacity.toRecord());
    }

    /**
     * Sets the capacity of a topology segment for all volumes, without limits for the size of a volume.
     *
     * @param segment topology keys and values
     * @param bytes zero or more
     * @throws IllegalArgumentException if the segment is malformed (R24) or the capacity is negative
     */
    public void setCapacity(Map<String, String> segment, long bytes) {
        setCapacity(SegmentCapacity.of(segment, bytes));
    }

    /**
     * Adds a node that has no plugin of its own, so that volumes can be published to it.
     *
     * @param topology the topology segments of the node; empty if the node has none
     */
    public void addNode(String nodeId, Map<String, String> topology) {
        backend.register(new NodeRecord(nodeId, topology, 0));
    }

    /**
     * Removes the stagings and publications of a node, as after a power failure: its mounts are gone, and the controller can unpublish its volumes.
     * Its inline volumes stay.
     */
    public void nodeIsGone(String nodeId) {
        backend.store().locked(() -> {
            var shelf = backend.shelf(nodeId);
            for (var volume : Set.copyOf(shelf.volumes().all())) {
                shelf.volumes().remove(volume.volumeId());
            }
            return nodeId;
        });
    }

    /**
     * Makes a volume abnormal in both models of CSI: the condition of 1.12 and the health of 1.13.
     *
     * @param status a number of VolumeHealthErrorType: 1 degraded, 2 inaccessible, 3 data loss
     * @param reason a CamelCase word
     * @param message a sentence
     */
    public void makeAbnormal(String volumeId, int status, String reason, String message) {
        new StoredVolumes(backend).condition(volumeId, new Condition(status, reason, message));
    }

    /** Makes a volume healthy again. */
    public void makeHealthy(String volumeId) {
        new StoredVolumes(backend).condition(volumeId, Condition.HEALTHY);
    }

    /**
     * Writes new data to a part of a volume, which changes the blocks in later snapshots.
     *
     * @param offset the first byte
     * @param bytes the number of bytes
     * @throws IllegalStateException for a storage in a directory: its volumes can only be written through their mounts and devices
     */
    public void write(String volumeId, long offset, long bytes) {
        if (memory == null) {
            throw new IllegalStateException(
                    "this storage is in a directory; publish the volume and write to its target path");
        }
        MemoryData data = memory;
        backend.store().locked(() -> {
            data.write(backend.volume(volumeId).id(), offset, bytes);
            return volumeId;
        });
    }

    /** Returns the ids of all volumes, in order. */
    public Set<String> volumeIds() {
        return backend.store().locked(() -> {
            Set<String> ids = new TreeSet<>();
            new StoredVolumes(backend).list(0, "", 0, false).rows().forEach(record -> ids.add(record.id()));
            return ids;
        });
    }

    /** Returns the ids of all snapshots, in order. */
    public Set<String> snapshotIds() {
        return backend.snapshotIds();
    }

    /**
     * Returns the ids of the nodes to which the controller has published a volume, in order; empty also for a volume that does not exist.
     */
    public Set<String> attachedNodes(String volumeId) {
        return backend.store().locked(() -> {
            VolumeRecord record = backend.find(volumeId);
            return record == null
                    ? Set.<String>of()
                    : new TreeSet<>(record.attachments().keySet());
        });
    }

    /**
     * Returns the ids of the inline volumes on a node, in order; empty also for an unknown node. A volume is there from NodePublishVolume to its last
     * NodeUnpublishVolume, also when the node has lost its mounts ({@link #nodeIsGone}).
     */
    public Set<String> inlineVolumeIds(String nodeId) {
        return backend.nodeIds().contains(nodeId) ? FakeInlineVolumes.ids(backend.shelf(nodeId)) : Set.of();
    }

    /** Returns the staging and target paths of a volume on all nodes, in order. */
    public Set<String> pathsInUse(String volumeId) {
        return backend.store().locked(() -> {
            Set<String> paths = new TreeSet<>();
            for (NodeUse use : backend.uses(volumeId)) {
                paths.addAll(use.volume().paths());
            }
            return paths;
        });
    }

    /** Returns everything that callers created and have not removed. Volumes that {@link #provision} added are not included. */
    public List<Leak> leaks() {
        return Leaks.of(backend);
    }

    Backend backend() {
        return backend;
    }

    NodeEffects effects() {
        return effects;
    }

    InFlight controllerCalls() {
        return controllerCalls;
    }

    /** Returns whether calls may take long, because they wait for disks, commands and other processes. */
    boolean mayWait() {
        return memory == null;
    }
}

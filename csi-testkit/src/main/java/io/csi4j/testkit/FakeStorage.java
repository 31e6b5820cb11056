package io.csi4j.testkit;

import io.csi4j.testkit.internal.disk.DirectoryData;
import io.csi4j.testkit.internal.disk.RealMounts;
import io.csi4j.testkit.internal.node.LeafEffects;
import io.csi4j.testkit.internal.node.NodeEffects;
import io.csi4j.testkit.internal.service.InFlight;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.Condition;
import io.csi4j.testkit.internal.storage.MemoryData;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeUse;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.csi4j.testkit.internal.store.FileStore;
import io.csi4j.testkit.internal.store.MemoryStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The storage behind fake plugins: volumes, snapshots, and what is published where.
 *
 * <p>Give the same storage to several {@link FakeCsiPlugin}s, one for each node, and they behave like the instances of
 * one plugin on several nodes. All methods may be called from any thread.
 */
public final class FakeStorage {
    /** Room for ten thousand volumes of the usual size. */
    static final long DEFAULT_CAPACITY = 10_000L * (10L << 30);

    /** Ids of different storages in one process differ, so that a mix-up is noticed. */
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
     * A storage in memory with plenty of room. Nothing is mounted; publishing makes the entry at the target path, a
     * directory or a file, and unpublishing removes it.
     *
     * @return a new, empty storage
     */
    public static FakeStorage inMemory() {
        return inMemory(DEFAULT_CAPACITY);
    }

    /**
     * A storage in memory.
     *
     * @param capacityBytes how much fits into it, volumes and snapshots together
     * @return a new, empty storage
     * @throws IllegalArgumentException when the capacity is not greater than zero
     */
    public static FakeStorage inMemory(long capacityBytes) {
        return inMemory(capacityBytes, new LeafEffects());
    }

    /**
     * A storage in memory that touches no file at all: paths are only remembered. For simulations and benchmarks.
     *
     * @param capacityBytes how much fits into it, volumes and snapshots together
     * @return a new, empty storage
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
     * A storage in a directory, which other processes may use as well: volumes are directories and images, publishing
     * makes real mounts where the process may mount, and everything survives a kill.
     *
     * @param directory is made when it is missing
     * @param capacityBytes how much may be handed out, volumes and snapshots together
     * @return the storage, with what is there
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
     * Makes a volume known that no call has created, as an administrator would have made it by hand.
     *
     * @param volumeId its id; nothing happens when it exists already
     * @param capacityBytes its size
     */
    public void provision(String volumeId, long capacityBytes) {
        new StoredVolumes(backend).provision(volumeId, capacityBytes);
    }

    /**
     * Makes a node known on which no plugin runs.
     *
     * @param topology its segments; empty when it has none
     */
    public void addNode(String nodeId, Map<String, String> topology) {
        backend.register(new NodeRecord(nodeId, topology, 0));
    }

    /**
     * Forgets what a node has staged and published, as when its power was cut: its mounts are gone, and its volumes can
     * be unpublished by the controller.
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
     * Makes a volume ill, in both models of CSI: the condition of 1.12 and the health of 1.13.
     *
     * @param status a number of VolumeHealthErrorType: 1 degraded, 2 inaccessible, 3 data loss
     * @param reason a CamelCase word
     * @param message a sentence
     */
    public void makeAbnormal(String volumeId, int status, String reason, String message) {
        new StoredVolumes(backend).condition(volumeId, new Condition(status, reason, message));
    }

    /** Makes a volume well again. */
    public void makeHealthy(String volumeId) {
        new StoredVolumes(backend).condition(volumeId, Condition.HEALTHY);
    }

    /**
     * Writes something new to a part of a volume, for what snapshots tell of their blocks.
     *
     * @param offset the first byte
     * @param bytes how many
     * @throws IllegalStateException for a storage in a directory, whose volumes are written through their devices
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

    /**
     * The volumes there are.
     *
     * @return their ids, in order
     */
    public Set<String> volumeIds() {
        return backend.store().locked(() -> {
            Set<String> ids = new TreeSet<>();
            new StoredVolumes(backend).list(0, "", 0, false).rows().forEach(record -> ids.add(record.id()));
            return ids;
        });
    }

    /**
     * The snapshots there are.
     *
     * @return their ids, in order
     */
    public Set<String> snapshotIds() {
        return backend.snapshotIds();
    }

    /**
     * The nodes that a volume is published to by the controller.
     *
     * @return node ids, in order; empty also when the volume does not exist
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
     * Where a volume is staged and published.
     *
     * @return paths, in order, of all nodes
     */
    public Set<String> pathsInUse(String volumeId) {
        return backend.store().locked(() -> {
            Set<String> paths = new TreeSet<>();
            for (NodeUse use : backend.uses(volumeId)) {
                paths.addAll(use.volume().paths());
            }
            return paths;
        });
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

    /** Whether calls may take long, because they wait for disks, commands and other processes. */
    boolean mayWait() {
        return memory == null;
    }
}

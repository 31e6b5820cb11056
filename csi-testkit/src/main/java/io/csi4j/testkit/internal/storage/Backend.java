package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.store.RecordFields;
import io.csi4j.testkit.internal.store.Store;
import io.csi4j.testkit.internal.store.Table;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of one storage and the common parts of its operations. Use it inside {@link Store#locked} only. */
public final class Backend {
    final Store store;
    final Table<VolumeRecord> volumes;
    final Table<SnapshotRecord> snapshots;
    final Table<GroupRecord> groups;
    final Table<NodeRecord> nodes;
    final Table<SegmentRecord> segments;
    final Table<NamedRequest> requests;
    final VolumeData data;
    final long capacityBytes;
    final Clock clock;

    private final Function<String, Store> nodeStores;
    private final Map<String, NodeShelf> shelves = new ConcurrentHashMap<>();

    /**
     * Opens a storage.
     *
     * @param store the store of the records
     * @param nodeStores creates the store for the records of a node
     * @param data the contents of the volumes
     * @param capacityBytes the capacity of the storage
     * @param clock the clock for the times of snapshots
     */
    public Backend(Store store, Function<String, Store> nodeStores, VolumeData data, long capacityBytes, Clock clock) {
        this.store = store;
        this.nodeStores = nodeStores;
        this.data = data;
        this.capacityBytes = capacityBytes;
        this.clock = clock;
        volumes = store.table(
                "volumes",
                VolumeRecord.CODEC,
                VolumeRecord::bytes,
                List.of(VolumeRecord.BY_NAME, VolumeRecord.BY_NODE));
        snapshots = store.table(
                "snapshots",
                SnapshotRecord.CODEC,
                record -> record.snapshot().getSizeBytes(),
                List.of(SnapshotRecord.BY_NAME, SnapshotRecord.BY_SOURCE));
        groups = store.table("groups", GroupRecord.CODEC, record -> 0, List.of(GroupRecord.BY_NAME));
        nodes = store.table("nodes", NodeRecord.CODEC, record -> 0, List.of());
        segments = store.table("segments", SegmentRecord.CODEC, record -> 0, List.of());
        requests = store.table("requests", NamedRequest.CODEC, record -> 0, List.of());
        store.onRecovery(this::recover);
    }

    /** Returns the clock of the storage. */
    public Clock clock() {
        return clock;
    }

    /** Returns the ids of all known nodes, in order. */
    public Set<String> nodeIds() {
        return store.locked(() -> {
            Set<String> ids = new TreeSet<>();
            nodes.all().forEach(record -> ids.add(record.id()));
            return ids;
        });
    }

    public Store store() {
        return store;
    }

    /** Adds or replaces a node. */
    public void register(NodeRecord node) {
        store.locked(() -> {
            if (!node.equals(nodes.get(node.id()))) {
                nodes.put(node.id(), node);
            }
            return node;
        });
    }

    /** Returns the volume limit of a known node; zero: no limit. */
    public long attachLimit(String nodeId) {
        return store.locked(() -> {
            NodeRecord node = nodes.get(nodeId);
            return node == null ? 0 : node.attachLimit();
        });
    }

    /** Returns the records of a node; the same object for the same node. */
    public NodeShelf shelf(String nodeId) {
        return shelves.computeIfAbsent(nodeId, id -> NodeShelf.of(id, nodeStores.apply(id)));
    }

    /** Returns the uses of a volume on the known nodes. */
    public List<NodeUse> uses(String volumeId) {
        List<NodeUse> uses = new ArrayList<>();
        for (NodeRecord node : nodes.all()) {
            NodeVolume held = shelf(node.id()).of(volumeId);
            if (!held.isEmpty()) {
                uses.add(new NodeUse(node.id(), held));
            }
        }
        return uses;
    }

    public @Nullable VolumeRecord find(String volumeId) {
        return volumes.get(volumeId);
    }

    /**
     * Returns a volume.
     *
     * @throws CallRefusal NOT_FOUND if it does not exist
     */
    public VolumeRecord volume(String volumeId) {
        VolumeRecord record = volumes.get(volumeId);
        if (record == null) {
            throw CallRefusal.notFound("volume '" + volumeId + "' does not exist; check the id, or create the volume");
        }
        return record;
    }

    /** Returns the ids of all snapshots, in order. */
    public Set<String> snapshotIds() {
        return store.locked(() -> {
            Set<String> ids = new TreeSet<>();
            snapshots.all().forEach(record -> ids.add(record.id()));
            return ids;
        });
    }

    /** Creates the contents of an inline volume. */
    public void createInline(String contentId, Map<String, String> attributes) {
        data.createInline(contentId, attributes);
    }

    /** Removes the contents of an inline volume. */
    public void deleteInline(String contentId) {
        data.deleteVolume(contentId);
    }

    long available() {
        return Math.max(0, capacityBytes - volumes.total() - snapshots.total());
    }

    String newId(String kind) {
        return kind + "-" + store.label() + "-" + String.format("%012d", store.nextNumber());
    }

    private void recover(RecordFields intent) {
        String op = intent.text("op");
        String id = intent.text("id");
        switch (op) {
            case "create-volume" -> {
                if (volumes.get(id) == null) {
                    data.deleteVolume(id);
                }
            }
            case "delete-volume" -> {
                VolumeRecord record = volumes.get(id);
                if (record != null) {
                    NamedRequests.free(
                            this, NamedRequests.CREATE_VOLUME, record.request().getName());
                }
                volumes.remove(id);
                data.deleteVolume(id);
            }
            case "expand-volume" -> {
                VolumeRecord record = volumes.get(id);
                if (record != null) {
                    data.resize(id, record.block(), record.bytes());
                }
            }
            case "create-snapshot" -> {
                if (snapshots.get(id) == null) {
                    data.deleteSnapshot(id);
                }
            }
            case "delete-snapshot" -> {
                SnapshotRecord record = snapshots.get(id);
                if (record != null) {
                    NamedRequests.free(
                            this,
                            NamedRequests.CREATE_SNAPSHOT,
                            record.request().getName());
                }
                snapshots.remove(id);
                data.deleteSnapshot(id);
            }
            case "create-group" -> {
                if (groups.get(id) == null) {
                    removeMembers(intent);
                }
            }
            case "delete-group" -> {
                GroupRecord record = groups.get(id);
                if (record != null) {
                    NamedRequests.free(
                            this, NamedRequests.CREATE_GROUP, record.request().getName());
                }
                groups.remove(id);
                removeMembers(intent);
            }
            default ->
                throw new IllegalStateException("the state directory holds an unknown intent '" + op
                        + "'; it was written by another version of the fake plugin: use that version");
        }
    }

    void removeMembers(RecordFields intent) {
        for (String member : intent.map("members").keySet()) {
            snapshots.remove(member);
            data.deleteSnapshot(member);
        }
    }
}

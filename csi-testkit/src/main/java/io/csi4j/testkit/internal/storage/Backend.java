package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.rule.Refusal;
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

/** The tables of one storage and what all of its operations share. All access is inside {@link Store#locked}. */
public final class Backend {
    final Store store;
    final Table<VolumeRecord> volumes;
    final Table<SnapshotRecord> snapshots;
    final Table<GroupRecord> groups;
    final Table<NodeRecord> nodes;
    final VolumeData data;
    final long capacityBytes;
    final Clock clock;

    private final Function<String, Store> nodeStores;
    private final Map<String, NodeShelf> shelves = new ConcurrentHashMap<>();

    /**
     * Opens a storage.
     *
     * @param store of its records
     * @param nodeStores makes the store for the records of a node
     * @param data the contents of its volumes
     * @param capacityBytes how much there is
     * @param clock for the times of snapshots
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
        store.onRecovery(this::recover);
    }

    /** The lock and the records. */
    public Store store() {
        return store;
    }

    /**
     * Makes a node known, or changes what is known of it.
     *
     * @param node to be known
     */
    public void register(NodeRecord node) {
        store.locked(() -> {
            if (!node.equals(nodes.get(node.id()))) {
                nodes.put(node.id(), node);
            }
            return node;
        });
    }

    /**
     * How many volumes a node takes.
     *
     * @param nodeId of a node that is known
     * @return zero for no limit
     */
    public long attachLimit(String nodeId) {
        return store.locked(() -> {
            NodeRecord node = nodes.get(nodeId);
            return node == null ? 0 : node.attachLimit();
        });
    }

    /**
     * The records of a node.
     *
     * @return the same one for the same node
     */
    public NodeShelf shelf(String nodeId) {
        return shelves.computeIfAbsent(nodeId, id -> NodeShelf.of(id, nodeStores.apply(id)));
    }

    /**
     * What the known nodes hold of a volume.
     *
     * @return by node, only those that hold something
     */
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

    /**
     * A volume, if it exists.
     *
     * @return the record, or null
     */
    public @Nullable VolumeRecord find(String volumeId) {
        return volumes.get(volumeId);
    }

    /**
     * A volume that has to exist.
     *
     * @throws Refusal NOT_FOUND when it does not
     */
    public VolumeRecord volume(String volumeId) {
        VolumeRecord record = volumes.get(volumeId);
        if (record == null) {
            throw Refusal.notFound("volume '" + volumeId + "' does not exist; check the id, or create the volume");
        }
        return record;
    }

    /**
     * The snapshots there are.
     *
     * @return their ids, in order
     */
    public Set<String> snapshotIds() {
        return store.locked(() -> {
            Set<String> ids = new TreeSet<>();
            snapshots.all().forEach(record -> ids.add(record.id()));
            return ids;
        });
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
                snapshots.remove(id);
                data.deleteSnapshot(id);
            }
            case "create-group" -> {
                if (groups.get(id) == null) {
                    removeMembers(intent);
                }
            }
            case "delete-group" -> {
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

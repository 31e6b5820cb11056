package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.Store;
import io.csi4j.testkit.internal.store.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of one node.
 *
 * @param store the store of the records, with its own lock if several processes share the storage
 * @param volumes the uses of volumes by id
 * @param inline the inline volumes by id
 */
public record NodeShelf(String nodeId, Store store, Table<NodeVolume> volumes, Table<InlineVolume> inline) {
    static NodeShelf of(String nodeId, Store store) {
        return new NodeShelf(
                nodeId,
                store,
                store.table("volumes", NodeVolume.CODEC, volume -> 0, List.of(NodeVolume.BY_PATH)),
                store.table("inline", InlineVolume.CODEC, volume -> 0, List.of()));
    }

    /** Returns the use of a volume on this node; may be empty. */
    public NodeVolume of(String volumeId) {
        @Nullable NodeVolume held = volumes.get(volumeId);
        return held == null ? NodeVolume.none(volumeId) : held;
    }

    /** Replaces the use of a volume on this node. */
    public void put(NodeVolume volume) {
        if (volume.isEmpty()) {
            volumes.remove(volume.volumeId());
        } else {
            volumes.put(volume.volumeId(), volume);
        }
    }
}

package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.Map;

/**
 * A node that the storage knows.
 *
 * @param id the node's id
 * @param segments its topology; empty: none
 * @param attachLimit its volume limit; zero: no limit
 */
public record NodeRecord(String id, Map<String, String> segments, long attachLimit) {
    static final Codec<NodeRecord> CODEC = new Codec<>(
            "node",
            NodeRecord::id,
            node -> new RecordFields()
                    .put("id", node.id())
                    .put("segments", node.segments())
                    .put("attach-limit", node.attachLimit()),
            fields -> new NodeRecord(fields.text("id"), fields.map("segments"), fields.number("attach-limit")));

    public NodeRecord {
        segments = Map.copyOf(segments);
    }
}

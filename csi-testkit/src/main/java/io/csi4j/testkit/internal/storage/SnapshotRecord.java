package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.Index;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.List;

/**
 * A snapshot.
 *
 * @param snapshot the message for callers
 * @param request the request that created it, without secrets; for a member of a group only the source is set
 * @param block whether the source was a block volume
 */
public record SnapshotRecord(Snapshot snapshot, CreateSnapshotRequest request, boolean block) {
    static final Index<SnapshotRecord> BY_NAME =
            new Index<>("name", record -> List.of(record.request().getName()));
    static final Index<SnapshotRecord> BY_SOURCE =
            new Index<>("source", record -> List.of(record.snapshot().getSourceVolumeId()));

    static final Codec<SnapshotRecord> CODEC =
            new Codec<>("snapshot", SnapshotRecord::id, SnapshotRecord::encode, SnapshotRecord::decode);

    public String id() {
        return snapshot.getSnapshotId();
    }

    private RecordFields encode() {
        return new RecordFields()
                .put("id", id())
                .put("name", request.getName())
                .put("snapshot", snapshot)
                .put("request", request)
                .put("block", block);
    }

    private static SnapshotRecord decode(RecordFields fields) {
        return new SnapshotRecord(
                fields.message("snapshot", Snapshot.parser()),
                fields.message("request", CreateSnapshotRequest.parser()),
                fields.flag("block"));
    }
}

package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.VolumeGroupSnapshot;
import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.Index;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.List;

/**
 * A group snapshot.
 *
 * @param group the message for callers, with the members
 * @param request the request that created it, without secrets
 */
public record GroupRecord(VolumeGroupSnapshot group, CreateVolumeGroupSnapshotRequest request) {
    static final Index<GroupRecord> BY_NAME =
            new Index<>("name", record -> List.of(record.request().getName()));

    static final Codec<GroupRecord> CODEC = new Codec<>(
            "group",
            GroupRecord::id,
            record -> new RecordFields()
                    .put("id", record.id())
                    .put("name", record.request().getName())
                    .put("group", record.group())
                    .put("request", record.request()),
            fields -> new GroupRecord(
                    fields.message("group", VolumeGroupSnapshot.parser()),
                    fields.message("request", CreateVolumeGroupSnapshotRequest.parser())));

    public String id() {
        return group.getGroupSnapshotId();
    }
}

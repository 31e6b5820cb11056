package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;

/** Decodes snapshots and group snapshots (R76-R81, R97-R100). */
final class SnapshotCodec {
    private SnapshotCodec() {}

    static Snapshot read(io.csi4j.proto.csi.v1.Snapshot wire) {
        Snapshot.Builder snapshot = Snapshot.builder(
                        SnapshotId.of(AnswerCheck.given("snapshotId", wire.getSnapshotId())),
                        ExternalVolumeId.of(AnswerCheck.given("sourceVolumeId", wire.getSourceVolumeId())))
                .sizeBytes(AnswerCheck.notNegative("sizeBytes", wire.getSizeBytes()))
                .readyToUse(wire.getReadyToUse())
                .accessibleTopology(TopologyCodec.readAll("accessibleTopology", wire.getAccessibleTopologyList()));
        if (wire.hasCreationTime()) {
            snapshot.creationTime(AnswerCheck.instant("creationTime", wire.getCreationTime()));
        }
        if (!wire.getGroupSnapshotId().isEmpty()) {
            snapshot.groupSnapshotId(GroupSnapshotId.of(wire.getGroupSnapshotId()));
        }
        return snapshot.build();
    }

    static VolumeGroupSnapshot read(io.csi4j.proto.csi.v1.VolumeGroupSnapshot wire) {
        VolumeGroupSnapshot.Builder group = VolumeGroupSnapshot.builder(
                        GroupSnapshotId.of(AnswerCheck.given("groupSnapshotId", wire.getGroupSnapshotId())))
                .snapshots(AnswerCheck.each("snapshots", wire.getSnapshotsList(), SnapshotCodec::read))
                .readyToUse(wire.getReadyToUse());
        if (wire.hasCreationTime()) {
            group.creationTime(AnswerCheck.instant("creationTime", wire.getCreationTime()));
        }
        return group.build();
    }
}

package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.examples.walk.Back;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** SnapshotSteps of two volumes at one point (R97-R100). */
final class GroupSnapshotSteps {
    private static final Duration UNTIL_READY = Duration.ofMillis(500);

    private final Session session;
    private final VolumeSteps volumes;

    GroupSnapshotSteps(Session session, VolumeSteps volumes) {
        this.session = session;
        this.volumes = volumes;
    }

    void run(CreatedVolume first) {
        if (!session.facts().has(GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)) {
            session.skip(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT.csiName(), "no CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT");
            return;
        }
        session.extra(() -> {
            List<ExternalVolumeId> sources = new ArrayList<>(List.of(first.id()));
            if (volumes.offered()) {
                String name = session.options().volumeName() + "-second";
                sources.add(volumes.create(name, first.capacityBytes(), null).id());
            }
            VolumeGroupSnapshot group = cut(sources);
            get(group);
        });
    }

    private VolumeGroupSnapshot cut(List<ExternalVolumeId> sources) {
        CreateVolumeGroupSnapshotRequest request = CreateVolumeGroupSnapshotRequest.builder(
                        session.options().volumeName() + "-group", sources)
                .secrets(session.options().secrets())
                .build();
        VolumeGroupSnapshot group = session.walk()
                .make(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        () -> session.plugin().groupController().createVolumeGroupSnapshot(request),
                        answer -> answer.groupSnapshot().groupSnapshotId() + " of " + sources.size() + " volumes",
                        answer -> delete(answer.groupSnapshot()))
                .groupSnapshot();
        if (!group.readyToUse()) {
            session.walk()
                    .call(
                            Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                            () -> RepeatUntil.until(
                                    () -> session.plugin().groupController().createVolumeGroupSnapshot(request),
                                    (CreateVolumeGroupSnapshotResponse answer) ->
                                            answer.groupSnapshot().readyToUse(),
                                    UNTIL_READY),
                            answer -> "asked again until it was ready");
        }
        session.walk().local("check the group", () -> check(group, sources));
        return group;
    }

    private static String check(VolumeGroupSnapshot group, List<ExternalVolumeId> sources) throws IOException {
        Set<ExternalVolumeId> found =
                group.snapshots().stream().map(Snapshot::sourceVolumeId).collect(Collectors.toSet());
        if (!found.equals(new HashSet<>(sources))) {
            throw new IOException("it has snapshots of " + found + ", and should have them of " + sources);
        }
        return "one snapshot of each volume";
    }

    /** All its snapshots have to be named (R100). */
    private Back delete(VolumeGroupSnapshot group) {
        DeleteVolumeGroupSnapshotRequest request = DeleteVolumeGroupSnapshotRequest.builder(
                        group.groupSnapshotId(), members(group))
                .secrets(session.options().secrets())
                .build();
        return Back.call(
                Rpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                "group snapshot " + group.groupSnapshotId(),
                () -> session.plugin().groupController().deleteVolumeGroupSnapshot(request),
                "the group snapshot " + group.groupSnapshotId() + "; delete it at the storage provider");
    }

    private void get(VolumeGroupSnapshot group) {
        GetVolumeGroupSnapshotRequest request = GetVolumeGroupSnapshotRequest.builder(
                        group.groupSnapshotId(), members(group))
                .secrets(session.options().secrets())
                .build();
        session.walk()
                .call(
                        Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                        () -> session.plugin().groupController().getVolumeGroupSnapshot(request),
                        answer -> answer.groupSnapshot().snapshots().size() + " snapshots");
    }

    private static List<SnapshotId> members(VolumeGroupSnapshot group) {
        return group.snapshots().stream().map(Snapshot::snapshotId).toList();
    }
}

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
import io.csi4j.examples.steps.UndoStep;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Takes snapshots of two volumes at the same time (R97-R100). */
final class GroupSnapshotSteps {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final Session session;
    private final VolumeSteps volumes;

    GroupSnapshotSteps(Session session, VolumeSteps volumes) {
        this.session = session;
        this.volumes = volumes;
    }

    void run(CreatedVolume first) {
        if (!session.capabilities().has(GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)) {
            session.skip(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT.csiName(), "no CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT");
            return;
        }
        session.optional(() -> {
            List<ExternalVolumeId> sources = new ArrayList<>(List.of(first.id()));
            if (volumes.offered()) {
                String name = session.options().volumeName() + "-second";
                sources.add(volumes.create(name, first.capacityBytes(), null).id());
            }
            VolumeGroupSnapshot group = createGroup(sources);
            get(group);
        });
    }

    private VolumeGroupSnapshot createGroup(List<ExternalVolumeId> sources) {
        CreateVolumeGroupSnapshotRequest request = CreateVolumeGroupSnapshotRequest.builder(
                        session.options().volumeName() + "-group", sources)
                .secrets(session.options().secrets())
                .build();
        VolumeGroupSnapshot group = session.steps()
                .create(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        () -> session.plugin().groupController().createVolumeGroupSnapshot(request),
                        answer -> answer.groupSnapshot().groupSnapshotId() + " of " + sources.size() + " volumes",
                        answer -> delete(answer.groupSnapshot()))
                .groupSnapshot();
        if (!group.readyToUse()) {
            session.steps()
                    .call(
                            Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                            () -> Polling.poll(
                                    () -> session.plugin().groupController().createVolumeGroupSnapshot(request),
                                    (CreateVolumeGroupSnapshotResponse answer) ->
                                            answer.groupSnapshot().readyToUse(),
                                    POLL_INTERVAL),
                            answer -> "repeated until it was ready");
        }
        session.steps().local("check the group", () -> check(group, sources));
        return group;
    }

    private static String check(VolumeGroupSnapshot group, List<ExternalVolumeId> sources) throws IOException {
        Set<ExternalVolumeId> found =
                group.snapshots().stream().map(Snapshot::sourceVolumeId).collect(Collectors.toSet());
        if (!found.equals(new HashSet<>(sources))) {
            throw new IOException("the group has snapshots of " + found + ", but should have snapshots of " + sources);
        }
        return "one snapshot of each volume";
    }

    /** Deletes the group; the request must name all its snapshots (R100). */
    private UndoStep delete(VolumeGroupSnapshot group) {
        DeleteVolumeGroupSnapshotRequest request = DeleteVolumeGroupSnapshotRequest.builder(
                        group.groupSnapshotId(), members(group))
                .secrets(session.options().secrets())
                .build();
        return UndoStep.call(
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
        session.steps()
                .call(
                        Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                        () -> session.plugin().groupController().getVolumeGroupSnapshot(request),
                        answer -> answer.groupSnapshot().snapshots().size() + " snapshots");
    }

    private static List<SnapshotId> members(VolumeGroupSnapshot group) {
        return group.snapshots().stream().map(Snapshot::snapshotId).toList();
    }
}

package io.csi4j.testkit.internal.storage;

import com.google.protobuf.Timestamp;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.VolumeGroupSnapshot;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Snapshots of several volumes at one point in time (R97-R100): all of them or none. */
public final class StoredGroups {
    private final Backend backend;

    public StoredGroups(Backend backend) {
        this.backend = backend;
    }

    /**
     * Creates a group snapshot, or returns the existing group snapshot with the name in the request.
     *
     * @param secretRequest the caller's request; its secrets are not stored
     * @return the group with its members
     */
    public VolumeGroupSnapshot create(CreateVolumeGroupSnapshotRequest secretRequest) {
        CreateVolumeGroupSnapshotRequest request =
                secretRequest.toBuilder().clearSecrets().build();
        return backend.store.locked(() -> {
            for (GroupRecord existing : backend.groups.where(GroupRecord.BY_NAME, request.getName())) {
                return sameOrRefuse(existing, request);
            }
            List<VolumeRecord> volumes = new ArrayList<>();
            long bytes = 0;
            for (String volumeId : request.getSourceVolumeIdsList()) {
                VolumeRecord volume = backend.volume(volumeId);
                volumes.add(volume);
                bytes += volume.bytes();
            }
            StoredSnapshots.requireRoom(backend, bytes);
            return cut(request, volumes);
        });
    }

    private VolumeGroupSnapshot cut(CreateVolumeGroupSnapshotRequest request, List<VolumeRecord> volumes) {
        String groupId = backend.newId("group");
        Timestamp now = StoredSnapshots.now(backend);
        Map<String, String> members = new TreeMap<>();
        List<SnapshotRecord> records = new ArrayList<>();
        for (VolumeRecord volume : volumes) {
            Snapshot snapshot = Snapshot.newBuilder()
                    .setSnapshotId(backend.newId("snap"))
                    .setSourceVolumeId(volume.id())
                    .setSizeBytes(volume.bytes())
                    .setCreationTime(now)
                    .setReadyToUse(true)
                    .setGroupSnapshotId(groupId)
                    .build();
            members.put(snapshot.getSnapshotId(), volume.id());
            CreateSnapshotRequest source = CreateSnapshotRequest.newBuilder()
                    .setSourceVolumeId(volume.id())
                    .build();
            records.add(new SnapshotRecord(snapshot, source, volume.block()));
        }
        VolumeGroupSnapshot group = VolumeGroupSnapshot.newBuilder()
                .setGroupSnapshotId(groupId)
                .addAllSnapshots(records.stream().map(SnapshotRecord::snapshot).toList())
                .setCreationTime(now)
                .setReadyToUse(true)
                .build();
        backend.store.begin(
                new RecordFields().put("op", "create-group").put("id", groupId).put("members", members));
        members.forEach(backend.data::createSnapshot);
        records.forEach(record -> backend.snapshots.put(record.id(), record));
        backend.groups.put(groupId, new GroupRecord(group, request));
        backend.store.done();
        return group;
    }

    private static VolumeGroupSnapshot sameOrRefuse(GroupRecord existing, CreateVolumeGroupSnapshotRequest request) {
        Set<String> before = new TreeSet<>(existing.request().getSourceVolumeIdsList());
        if (before.equals(new TreeSet<>(request.getSourceVolumeIdsList()))
                && existing.request().getParametersMap().equals(request.getParametersMap())) {
            return existing.group();
        }
        throw CallRefusal.alreadyExists("group snapshot '" + existing.id()
                + "' has this name and other sources or parameters; use another name, or the same arguments (R99)");
    }

    /**
     * Deletes a group snapshot with all its members.
     *
     * @param groupId the group; nothing happens if it does not exist
     * @param snapshotIds all its members (R100)
     */
    public void delete(String groupId, Collection<String> snapshotIds) {
        backend.store.locked(() -> {
            GroupRecord record = backend.groups.get(groupId);
            if (record == null) {
                return "nothing to do";
            }
            requireMembers(record, snapshotIds);
            Map<String, String> members = record.group().getSnapshotsList().stream()
                    .collect(Collectors.toMap(Snapshot::getSnapshotId, Snapshot::getSourceVolumeId));
            RecordFields intent = new RecordFields()
                    .put("op", "delete-group")
                    .put("id", groupId)
                    .put("members", members);
            backend.store.begin(intent);
            NamedRequests.free(
                    backend, NamedRequests.CREATE_GROUP, record.request().getName());
            backend.groups.remove(groupId);
            backend.removeMembers(intent);
            backend.store.done();
            return "deleted";
        });
    }

    /**
     * Returns one group snapshot.
     *
     * @param snapshotIds all its members (R100)
     */
    public VolumeGroupSnapshot get(String groupId, Collection<String> snapshotIds) {
        return backend.store.locked(() -> {
            @Nullable GroupRecord record = backend.groups.get(groupId);
            if (record == null) {
                throw CallRefusal.notFound("group snapshot '" + groupId + "' does not exist; check the id (R100)");
            }
            requireMembers(record, snapshotIds);
            return record.group();
        });
    }

    private static void requireMembers(GroupRecord record, Collection<String> snapshotIds) {
        Set<String> members = record.group().getSnapshotsList().stream()
                .map(Snapshot::getSnapshotId)
                .collect(Collectors.toCollection(TreeSet::new));
        if (!members.equals(new TreeSet<>(snapshotIds))) {
            throw CallRefusal.invalid("snapshot_ids: must be exactly the members of group snapshot '" + record.id()
                    + "', which are " + String.join(", ", members) + " (R100)");
        }
    }
}

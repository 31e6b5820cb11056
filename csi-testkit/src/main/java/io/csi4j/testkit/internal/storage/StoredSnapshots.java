package io.csi4j.testkit.internal.storage;

import com.google.protobuf.Timestamp;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.store.RecordFields;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Snapshots of single volumes (R76-R81). They do not depend on their source, which may be deleted. */
public final class StoredSnapshots {
    private final Backend backend;

    public StoredSnapshots(Backend backend) {
        this.backend = backend;
    }

    /**
     * Creates a snapshot, or returns the existing snapshot with the name in the request.
     *
     * @param secretRequest the caller's request; its secrets are not stored
     * @param constrained whether snapshots have a topology
     */
    public Snapshot create(CreateSnapshotRequest secretRequest, boolean constrained) {
        CreateSnapshotRequest request = secretRequest.toBuilder().clearSecrets().build();
        return backend.store.locked(() -> {
            for (SnapshotRecord existing : backend.snapshots.where(SnapshotRecord.BY_NAME, request.getName())) {
                return sameOrRefuse(existing, request);
            }
            VolumeRecord volume = backend.volume(request.getSourceVolumeId());
            requireRoom(backend, volume.bytes());
            String id = backend.newId("snap");
            Snapshot.Builder snapshot = Snapshot.newBuilder()
                    .setSnapshotId(id)
                    .setSourceVolumeId(volume.id())
                    .setSizeBytes(volume.bytes())
                    .setCreationTime(now(backend))
                    .setReadyToUse(true);
            if (constrained) {
                snapshot.addAllAccessibleTopology(places(volume, request));
            }
            backend.store.begin(new RecordFields().put("op", "create-snapshot").put("id", id));
            backend.data.createSnapshot(id, volume.id());
            backend.snapshots.put(id, new SnapshotRecord(snapshot.build(), request, volume.block()));
            backend.store.done();
            return snapshot.build();
        });
    }

    private static Snapshot sameOrRefuse(SnapshotRecord existing, CreateSnapshotRequest request) {
        if (existing.request().getSourceVolumeId().equals(request.getSourceVolumeId())
                && existing.request().getParametersMap().equals(request.getParametersMap())) {
            return existing.snapshot();
        }
        throw CallRefusal.alreadyExists("snapshot '" + existing.id() + "' has this name and is of volume '"
                + existing.request().getSourceVolumeId()
                + "' or has other parameters; use another name, or the same arguments (R79)");
    }

    private List<Topology> places(VolumeRecord volume, CreateSnapshotRequest request) {
        List<Topology> places = volume.volume().getAccessibleTopologyList();
        if (!request.hasAccessibilityRequirements() || places.isEmpty()) {
            return places;
        }
        List<Map<String, String>> known = places.stream()
                .map(topology -> (Map<String, String>) new TreeMap<>(topology.getSegmentsMap()))
                .toList();
        return List.of(Topologies.choose(request.getAccessibilityRequirements(), known));
    }

    /** Deletes a snapshot. Does nothing if it does not exist. */
    public void delete(String snapshotId) {
        backend.store.locked(() -> {
            SnapshotRecord record = backend.snapshots.get(snapshotId);
            if (record == null) {
                return "nothing to do";
            }
            if (!record.snapshot().getGroupSnapshotId().isEmpty()) {
                throw CallRefusal.invalid("snapshot_id: '" + snapshotId + "' belongs to group snapshot '"
                        + record.snapshot().getGroupSnapshotId() + "'; use DeleteVolumeGroupSnapshot (R80)");
            }
            backend.store.begin(new RecordFields().put("op", "delete-snapshot").put("id", snapshotId));
            NamedRequests.free(
                    backend, NamedRequests.CREATE_SNAPSHOT, record.request().getName());
            backend.snapshots.remove(snapshotId);
            backend.data.deleteSnapshot(snapshotId);
            backend.store.done();
            return "deleted";
        });
    }

    /**
     * Returns one snapshot.
     *
     * @throws CallRefusal NOT_FOUND if it does not exist
     */
    public SnapshotRecord get(String snapshotId) {
        return backend.store.locked(() -> {
            SnapshotRecord record = backend.snapshots.get(snapshotId);
            if (record == null) {
                throw CallRefusal.notFound("snapshot '" + snapshotId + "' does not exist; check the id (R81)");
            }
            return record;
        });
    }

    /**
     * Returns a page of snapshots; filters without a match give an empty page (R81).
     *
     * @param request the request, whose form has been checked
     * @param cap the largest page of this plugin; zero: no limit
     */
    public Page<SnapshotRecord> list(ListSnapshotsRequest request, int cap) {
        String after = Page.keyOf("snapshots", request.getStartingToken());
        return backend.store.locked(() -> Page.of(
                "snapshots",
                candidates(request, after),
                record -> record.id().compareTo(after) > 0
                        && matches(request.getSnapshotId(), record.id())
                        && matches(
                                request.getSourceVolumeId(), record.snapshot().getSourceVolumeId()),
                request.getMaxEntries(),
                cap,
                SnapshotRecord::id));
    }

    private Collection<SnapshotRecord> candidates(ListSnapshotsRequest request, String after) {
        if (!request.getSnapshotId().isEmpty()) {
            SnapshotRecord one = backend.snapshots.get(request.getSnapshotId());
            return one == null ? List.of() : List.of(one);
        }
        return request.getSourceVolumeId().isEmpty()
                ? backend.snapshots.after(after)
                : backend.snapshots.where(SnapshotRecord.BY_SOURCE, request.getSourceVolumeId());
    }

    /** Returns the blocks of a snapshot; the caller closes them. */
    public BlockMap blocks(String snapshotId) {
        return backend.store.locked(() -> backend.data.blocks(get(snapshotId).id()));
    }

    private static boolean matches(String filter, String value) {
        return filter.isEmpty() || filter.equals(value);
    }

    static void requireRoom(Backend backend, long bytes) {
        if (bytes > backend.available()) {
            throw CallRefusal.exhausted("a snapshot of " + bytes + " bytes does not fit into the " + backend.available()
                    + " that are left; delete volumes or snapshots (R79)");
        }
    }

    static Timestamp now(Backend backend) {
        Instant now = backend.clock.instant();
        return Timestamp.newBuilder()
                .setSeconds(now.getEpochSecond())
                .setNanos(now.getNano())
                .build();
    }
}

package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Modes;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Creates, changes, lists and deletes volumes. Its callers have checked the form of the requests. */
public final class StoredVolumes {
    private static final String CONTEXT_KEY = "origin";

    private final Backend backend;
    private final StoredSegments segments;
    private final VolumePlacement placement;
    private final long unit;

    public StoredVolumes(Backend backend) {
        this(backend, 1);
    }

    /**
     * Creates the operations of a plugin.
     *
     * @param unit the unit of sizes: volumes have a multiple of it
     */
    public StoredVolumes(Backend backend, long unit) {
        this.backend = backend;
        this.segments = new StoredSegments(backend);
        this.placement = new VolumePlacement(backend);
        this.unit = unit;
    }

    /**
     * The properties of the called plugin that matter to a new volume.
     *
     * @param constrained whether volumes have a topology
     * @param segments the topology of the plugin's own node
     * @param elsewhere whether to choose a place outside of the requirement, because of a fault
     */
    public record Origin(boolean constrained, Map<String, String> segments, boolean elsewhere) {}

    /**
     * Creates a volume, or returns the existing volume with the name in the request (R51-R58).
     *
     * @param secretRequest the caller's request; its secrets are not stored
     * @param origin the called plugin
     */
    public Volume create(CreateVolumeRequest secretRequest, Origin origin) {
        CreateVolumeRequest request = secretRequest.toBuilder().clearSecrets().build();
        return backend.store.locked(() -> {
            for (VolumeRecord existing : backend.volumes.where(VolumeRecord.BY_NAME, request.getName())) {
                return sameOrRefuse(existing, request);
            }
            long sourceBytes = sourceBytes(request);
            VolumePlacement.Choice choice =
                    placement.choose(request, origin, placement.size(request.getCapacityRange(), sourceBytes, unit));
            long bytes = choice.bytes();
            String id = backend.newId("vol");
            Volume.Builder volume = Volume.newBuilder()
                    .setVolumeId(id)
                    .setCapacityBytes(bytes)
                    .putVolumeContext(CONTEXT_KEY, id)
                    .addAllAccessibleTopology(choice.places());
            if (request.hasVolumeContentSource()) {
                volume.setContentSource(request.getVolumeContentSource());
            }
            VolumeRecord record = new VolumeRecord(
                    volume.build(),
                    request,
                    request.getModifiableParametersMap(),
                    new TreeMap<>(),
                    bytes,
                    Condition.HEALTHY);
            backend.store.begin(new RecordFields().put("op", "create-volume").put("id", id));
            backend.data.createVolume(id, record.block(), bytes, request.getVolumeContentSource());
            backend.volumes.put(id, record);
            backend.store.done();
            return record.volume();
        });
    }

    private static Volume sameOrRefuse(VolumeRecord existing, CreateVolumeRequest request) {
        List<String> different = new ArrayList<>();
        CreateVolumeRequest before = existing.request();
        CapacityRange range = request.getCapacityRange();
        if (range.getRequiredBytes() > existing.bytes()
                || (range.getLimitBytes() > 0 && range.getLimitBytes() < existing.bytes())) {
            different.add("capacity_range (it has " + existing.bytes() + " bytes)");
        }
        if (request.getVolumeCapabilitiesList().stream()
                .anyMatch(wanted -> !Modes.supports(before.getVolumeCapabilitiesList(), wanted))) {
            different.add("volume_capabilities");
        }
        if (!request.getParametersMap().equals(before.getParametersMap())) {
            different.add("parameters");
        }
        if (!request.getModifiableParametersMap().equals(before.getModifiableParametersMap())) {
            different.add("mutable_parameters");
        }
        if (!request.getVolumeContentSource().equals(before.getVolumeContentSource())) {
            different.add("volume_content_source");
        }
        // A fault can put a volume outside of its requirement; the same request still returns it.
        boolean sameRequirement = request.getAccessibilityRequirements().equals(before.getAccessibilityRequirements());
        if (!sameRequirement
                && !Topologies.satisfies(
                        existing.volume().getAccessibleTopologyList(),
                        request.hasAccessibilityRequirements() ? request.getAccessibilityRequirements() : null)) {
            different.add("accessibility_requirements");
        }
        if (different.isEmpty()) {
            return existing.volume();
        }
        throw CallRefusal.alreadyExists("volume '" + existing.id() + "' has this name and differs in "
                + String.join(", ", different) + "; use another name, or the same arguments (R58)");
    }

    private long sourceBytes(CreateVolumeRequest request) {
        VolumeContentSource source = request.getVolumeContentSource();
        boolean block = request.getVolumeCapabilities(0).hasBlock();
        return switch (source.getTypeCase()) {
            case SNAPSHOT -> {
                String id = source.getSnapshot().getSnapshotId();
                SnapshotRecord snapshot = backend.snapshots.get(id);
                if (snapshot == null) {
                    throw CallRefusal.notFound(
                            "snapshot '" + id + "' does not exist; check volume_content_source (R58)");
                }
                requireSameAccess(snapshot.block(), block, "snapshot '" + id + "'");
                yield snapshot.snapshot().getSizeBytes();
            }
            case VOLUME -> {
                String id = source.getVolume().getVolumeId();
                VolumeRecord volume = backend.find(id);
                if (volume == null) {
                    throw CallRefusal.notFound("volume '" + id + "' does not exist; check volume_content_source (R58)");
                }
                requireSameAccess(volume.block(), block, "volume '" + id + "'");
                yield volume.bytes();
            }
            default -> 0;
        };
    }

    private static void requireSameAccess(boolean sourceBlock, boolean block, String source) {
        if (sourceBlock != block) {
            throw CallRefusal.invalid("volume_content_source: " + source + " is a " + (sourceBlock ? "block" : "mount")
                    + " volume; ask for the same access type (R58)");
        }
    }

    /** Deletes a volume (R59, R60). Does nothing if it does not exist. */
    public void delete(String volumeId) {
        backend.store.locked(() -> {
            VolumeRecord record = backend.find(volumeId);
            if (record == null) {
                return "nothing to do";
            }
            requireUnused(record, "delete");
            backend.store.begin(new RecordFields().put("op", "delete-volume").put("id", volumeId));
            NamedRequests.free(
                    backend, NamedRequests.CREATE_VOLUME, record.request().getName());
            backend.volumes.remove(volumeId);
            backend.data.deleteVolume(volumeId);
            backend.store.done();
            return "deleted";
        });
    }

    private void requireUnused(VolumeRecord record, String request) {
        if (!record.attachments().isEmpty()) {
            throw CallRefusal.failedPrecondition("volume '" + record.id() + "' is published to "
                    + String.join(", ", record.attachments().keySet()) + "; unpublish it there, then " + request
                    + " it");
        }
        List<NodeUse> uses = backend.uses(record.id());
        if (!uses.isEmpty()) {
            throw CallRefusal.failedPrecondition("volume '" + record.id() + "' is in use on " + uses
                    + "; unpublish and unstage it there, then " + request + " it");
        }
    }

    /**
     * Expands a volume (R82-R84).
     *
     * @param range the requested size
     * @param offlineOnly whether the volume must be unused
     * @param byNode whether the node uses the new size at once, because the node service makes this call or the plugin
     *     does not have NODE_EXPAND_VOLUME
     * @return the new size
     */
    public long expand(String volumeId, CapacityRange range, boolean offlineOnly, boolean byNode) {
        return backend.store.locked(() -> {
            VolumeRecord record = backend.volume(volumeId);
            long wanted = Math.max(record.bytes(), VolumePlacement.roundedUp(range.getRequiredBytes(), unit));
            if (range.getLimitBytes() > 0 && wanted > range.getLimitBytes()) {
                throw CallRefusal.outOfRange("capacity_range: volume '" + volumeId + "' has " + record.bytes()
                        + " bytes already and cannot shrink; raise limit_bytes (R84)");
            }
            if (wanted == record.bytes()) {
                if (byNode && record.nodeBytes() != wanted) {
                    backend.volumes.put(volumeId, record.withBytes(wanted, wanted));
                }
                return wanted;
            }
            if (offlineOnly) {
                requireUnused(record, "expand");
            }
            if (wanted - record.bytes() > backend.available()) {
                throw CallRefusal.outOfRange("capacity_range: " + (wanted - record.bytes())
                        + " more bytes are asked for and " + backend.available() + " are left; ask for less (R84)");
            }
            for (SegmentRecord segment : segments.of(record)) {
                long left = segments.left(segment);
                if (wanted - record.bytes() > left || !segment.allows(wanted)) {
                    throw CallRefusal.outOfRange("capacity_range: volume '" + volumeId + "' cannot get " + wanted
                            + " bytes, because its place has " + left + " left"
                            + (segment.allows(wanted)
                                    ? ""
                                    : " and allows at most " + segment.maximumVolumeSize() + " for a volume")
                            + "; ask for less (R84)");
                }
            }
            backend.store.begin(new RecordFields().put("op", "expand-volume").put("id", volumeId));
            backend.data.resize(volumeId, record.block(), wanted);
            backend.volumes.put(volumeId, record.withBytes(wanted, byNode ? wanted : record.nodeBytes()));
            backend.store.done();
            return wanted;
        });
    }

    /**
     * Changes mutable parameters (R74).
     *
     * @param changes the new values; the other mutable parameters keep their values
     */
    public void modify(String volumeId, Map<String, String> changes) {
        backend.store.locked(() -> {
            VolumeRecord record = backend.volume(volumeId);
            Map<String, String> mutable = new HashMap<>(record.mutable());
            mutable.putAll(changes);
            if (!mutable.equals(record.mutable())) {
                backend.volumes.put(volumeId, record.withMutable(mutable));
            }
            return record;
        });
    }

    /**
     * Returns one volume.
     *
     * @throws CallRefusal NOT_FOUND if it does not exist
     */
    public VolumeRecord get(String volumeId) {
        return backend.store.locked(() -> backend.volume(volumeId));
    }

    /**
     * Returns a page of volumes (R70-R72).
     *
     * @param maxEntries the limit of the request
     * @param token the token of the request
     * @param cap the largest page of this plugin; zero: no limit
     * @param abnormalOnly whether to leave out healthy volumes
     */
    public Page<VolumeRecord> list(int maxEntries, String token, int cap, boolean abnormalOnly) {
        String list = abnormalOnly ? "abnormal" : "volumes";
        String after = Page.keyOf(list, token);
        return backend.store.locked(() -> Page.of(
                list,
                backend.volumes.after(after),
                record -> !abnormalOnly || record.condition().abnormal(),
                maxEntries,
                cap,
                VolumeRecord::id));
    }

    /**
     * Returns the capacity at a place (R75).
     *
     * @param place the topology in the request; empty: all places
     * @param parameters the parameters of a new volume
     * @param origin the called plugin
     */
    public StoredSegments.Capacity capacity(Topology place, Map<String, String> parameters, Origin origin) {
        return backend.store.locked(() -> {
            boolean reachable = place.getSegmentsCount() == 0
                    || placement.known(origin).stream().anyMatch(known -> Topologies.reaches(known, place));
            return reachable
                    ? segments.capacity(place.getSegmentsMap(), parameters)
                    : new StoredSegments.Capacity(0, 0, 0);
        });
    }

    /** Adds a volume that existed before any call. */
    public void provision(String volumeId, long bytes) {
        backend.store.locked(() -> {
            if (backend.find(volumeId) == null) {
                backend.store.begin(
                        new RecordFields().put("op", "create-volume").put("id", volumeId));
                backend.data.createVolume(volumeId, false, bytes, VolumeContentSource.getDefaultInstance());
                Volume volume = Volume.newBuilder()
                        .setVolumeId(volumeId)
                        .setCapacityBytes(bytes)
                        .build();
                backend.volumes.put(
                        volumeId,
                        new VolumeRecord(
                                volume,
                                CreateVolumeRequest.getDefaultInstance(),
                                Map.of(),
                                new TreeMap<>(),
                                bytes,
                                Condition.HEALTHY));
                backend.store.done();
            }
            return volumeId;
        });
    }

    /** Sets or clears the problem of a volume. */
    public void condition(String volumeId, Condition condition) {
        backend.store.locked(() -> {
            backend.volumes.put(volumeId, backend.volume(volumeId).withCondition(condition));
            return volumeId;
        });
    }

    /** Returns whether a volume supports a capability. */
    public static boolean supports(VolumeRecord record, VolumeCapability wanted) {
        return Modes.supports(record.request().getVolumeCapabilitiesList(), wanted);
    }
}

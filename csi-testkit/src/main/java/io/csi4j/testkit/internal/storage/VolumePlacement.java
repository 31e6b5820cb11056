package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.TopologyRequirement;
import io.csi4j.testkit.internal.rule.CallRefusal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Chooses the size and the place of a new volume (R53, R55, R58). */
final class VolumePlacement {
    private static final long DEFAULT_BYTES = 1L << 30;

    private final Backend backend;
    private final StoredSegments segments;

    VolumePlacement(Backend backend) {
        this.backend = backend;
        this.segments = new StoredSegments(backend);
    }

    /**
     * The size and the place of a volume.
     *
     * @param places the topologies from which it is accessible; empty: all
     */
    record Choice(long bytes, List<Topology> places) {}

    /**
     * Returns the size of a volume: what is required, and not less than its source.
     *
     * @param unit the unit in which this storage allocates volumes
     */
    long size(CapacityRange range, long sourceBytes, long unit) {
        long bytes = Math.max(range.getRequiredBytes(), sourceBytes);
        if (bytes == 0) {
            bytes = range.getLimitBytes() > 0 ? Math.min(DEFAULT_BYTES, range.getLimitBytes()) : DEFAULT_BYTES;
        }
        bytes = roundedUp(bytes, unit);
        if (range.getLimitBytes() > 0 && bytes > range.getLimitBytes()) {
            throw CallRefusal.outOfRange("capacity_range: the volume needs " + bytes
                    + " bytes, because of its source or of the unit of this storage, and limit_bytes is less; raise"
                    + " limit_bytes (R55, R58)");
        }
        if (bytes > backend.capacityBytes) {
            throw CallRefusal.outOfRange(
                    "capacity_range: " + bytes + " bytes are more than the whole storage has, which is "
                            + backend.capacityBytes + "; ask for less (R58)");
        }
        return bytes;
    }

    /** Rounds a size up to a multiple of a unit. */
    static long roundedUp(long bytes, long unit) {
        long rest = bytes % unit;
        return rest == 0 ? bytes : bytes > Long.MAX_VALUE - unit ? Long.MAX_VALUE : bytes - rest + unit;
    }

    /** Returns the first place that fits the request and has room. */
    Choice choose(CreateVolumeRequest request, StoredVolumes.Origin origin, long bytes) {
        long available = backend.available();
        if (bytes > available) {
            throw CallRefusal.exhausted(bytes + " bytes are asked for and " + available
                    + " are left; delete volumes or snapshots, or ask for less (R58)");
        }
        List<String> full = new ArrayList<>();
        List<String> wrongSize = new ArrayList<>();
        for (List<Topology> place : candidates(request, origin)) {
            if (fits(request, place, bytes, full, wrongSize)) {
                return new Choice(bytes, place);
            }
        }
        if (full.isEmpty()) {
            throw CallRefusal.outOfRange("capacity_range: " + bytes + " bytes are not allowed in any place, "
                    + String.join(", ", wrongSize) + "; ask GetCapacity and change the size (R58)");
        }
        throw CallRefusal.exhausted(bytes + " bytes are asked for, and there is no room in any place, "
                + String.join(", ", full) + "; delete volumes there, or ask for another place (R58)");
    }

    private boolean fits(
            CreateVolumeRequest request, List<Topology> places, long bytes, List<String> full, List<String> wrongSize) {
        Map<String, String> place = places.isEmpty() ? Map.of() : places.get(0).getSegmentsMap();
        List<SegmentRecord> around = segments.around(place, request.getParametersMap());
        String name = new TreeMap<>(place).toString();
        for (SegmentRecord segment : around) {
            if (!segment.allows(bytes)) {
                wrongSize.add(name + " allows " + segment.minimumVolumeSize() + " to "
                        + (segment.maximumVolumeSize() == 0 ? "any size" : segment.maximumVolumeSize()));
                return false;
            }
        }
        for (SegmentRecord segment : around) {
            long left = segments.left(segment);
            if (bytes > left) {
                full.add(name + " has " + left);
                return false;
            }
        }
        return true;
    }

    /** Returns the places that the request allows, in the order in which they are tried. */
    private List<List<Topology>> candidates(CreateVolumeRequest request, StoredVolumes.Origin origin) {
        if (!origin.constrained()) {
            return List.of(List.of());
        }
        Collection<Map<String, String>> known = known(origin);
        TopologyRequirement requirement = request.getAccessibilityRequirements();
        Set<Topology> allowed = new LinkedHashSet<>();
        if (origin.elsewhere()) {
            known.stream()
                    .map(VolumePlacement::topology)
                    .filter(place -> !isAsked(place, requirement, origin))
                    .forEach(allowed::add);
        } else {
            allowed.addAll(requirement.getPreferredList());
            allowed.addAll(requirement.getRequisiteList());
            if (requirement.getRequisiteCount() == 0) {
                known.stream().map(VolumePlacement::topology).forEach(allowed::add);
            }
        }
        Set<Topology> refined = new LinkedHashSet<>();
        for (Topology place : allowed) {
            if (known.stream().anyMatch(node -> Topologies.reaches(node, place))) {
                List<SegmentRecord> parts = segments.parts(place.getSegmentsMap(), request.getParametersMap());
                if (parts.isEmpty()) {
                    refined.add(place);
                }
                parts.forEach(part -> refined.add(topology(part.segment())));
            }
        }
        if (refined.isEmpty()) {
            throw origin.elsewhere()
                    ? CallRefusal.internal(
                            "a fault asks for a place outside of the requirement, and all known places are"
                                    + " in it; start a plugin or add a node elsewhere")
                    : CallRefusal.exhausted(
                            "no known node is in any of the places of accessibility_requirements; ask for" + " one of "
                                    + known + ", or start a node plugin there (R58)");
        }
        return refined.stream().map(List::of).toList();
    }

    private static boolean isAsked(Topology place, TopologyRequirement requirement, StoredVolumes.Origin origin) {
        List<Topology> asked =
                requirement.getRequisiteCount() > 0 ? requirement.getRequisiteList() : requirement.getPreferredList();
        Map<String, String> segments = place.getSegmentsMap();
        return asked.isEmpty()
                ? segments.equals(origin.segments())
                : asked.stream().anyMatch(one -> Topologies.reaches(segments, one));
    }

    private static Topology topology(Map<String, String> segments) {
        return Topology.newBuilder().putAllSegments(segments).build();
    }

    /** Returns the places of nodes and of capacities: the place of the called plugin first, then the others in order. */
    Collection<Map<String, String>> known(StoredVolumes.Origin origin) {
        Set<Map<String, String>> known = new LinkedHashSet<>();
        known.add(new TreeMap<>(origin.segments()));
        for (NodeRecord node : backend.nodes.all()) {
            if (!node.segments().isEmpty()) {
                known.add(new TreeMap<>(node.segments()));
            }
        }
        for (SegmentRecord segment : backend.segments.all()) {
            if (!segment.segment().isEmpty()) {
                known.add(new TreeMap<>(segment.segment()));
            }
        }
        return known;
    }
}

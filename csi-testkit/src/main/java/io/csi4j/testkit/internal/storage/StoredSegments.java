package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.Topology;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The capacities of topology segments. A volume takes its size from each segment that contains its place and that is for its parameters, and
 * from the whole storage.
 */
public final class StoredSegments {
    private final Backend backend;

    public StoredSegments(Backend backend) {
        this.backend = backend;
    }

    /**
     * The answer to GetCapacity (R75), in bytes.
     *
     * @param available the free capacity
     * @param minimumVolumeSize the size of the smallest volume; zero: no limit
     * @param maximumVolumeSize the size of the largest volume
     */
    public record Capacity(long available, long minimumVolumeSize, long maximumVolumeSize) {}

    /** Sets the capacity of a segment; it may be less than its volumes have. */
    public void put(SegmentRecord segment) {
        backend.store.locked(() -> {
            backend.segments.put(segment.key(), segment);
            return segment;
        });
    }

    /** Sets the capacity of a segment unless it has one. */
    public void putIfAbsent(SegmentRecord segment) {
        backend.store.locked(() -> {
            if (backend.segments.get(segment.key()) == null) {
                backend.segments.put(segment.key(), segment);
            }
            return segment;
        });
    }

    /**
     * Returns the capacity at a place.
     *
     * @param place topology keys and values; a place that is larger than a segment has the sum of its segments
     * @param parameters the parameters of a new volume
     */
    public Capacity capacity(Map<String, String> place, Map<String, String> parameters) {
        return backend.store.locked(() -> {
            long available = backend.available();
            long minimum = 0;
            long maximum = Long.MAX_VALUE;
            for (SegmentRecord segment : around(place, parameters)) {
                available = Math.min(available, left(segment));
                minimum = Math.max(minimum, segment.minimumVolumeSize());
                maximum = Math.min(maximum, largest(segment));
            }
            List<SegmentRecord> parts = parts(place, parameters);
            if (!parts.isEmpty()) {
                available = Math.min(available, sum(parts));
                minimum = Math.max(
                        minimum,
                        parts.stream()
                                .mapToLong(SegmentRecord::minimumVolumeSize)
                                .min()
                                .orElse(0));
                maximum = Math.min(
                        maximum, parts.stream().mapToLong(this::largest).max().orElse(0));
            }
            return new Capacity(available, minimum, Math.min(available, maximum));
        });
    }

    private long largest(SegmentRecord segment) {
        long left = left(segment);
        return segment.maximumVolumeSize() == 0 ? left : Math.min(left, segment.maximumVolumeSize());
    }

    private long sum(Collection<SegmentRecord> parts) {
        long sum = 0;
        for (SegmentRecord part : parts) {
            long left = left(part);
            sum = left > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + left;
        }
        return sum;
    }

    /** Returns the segments that contain a place. */
    List<SegmentRecord> around(Map<String, String> place, Map<String, String> parameters) {
        return backend.segments.all().stream()
                .filter(segment -> segment.isFor(parameters) && segment.contains(place))
                .toList();
    }

    /** Returns the segments that are parts of a place, in the order of their keys. */
    List<SegmentRecord> parts(Map<String, String> place, Map<String, String> parameters) {
        return backend.segments.all().stream()
                .filter(segment -> segment.isFor(parameters) && segment.isPartOf(place))
                .toList();
    }

    /** Returns the segments from which an existing volume takes its size. */
    List<SegmentRecord> of(VolumeRecord volume) {
        return backend.segments.all().stream()
                .filter(segment -> holds(segment, volume))
                .toList();
    }

    private static boolean holds(SegmentRecord segment, VolumeRecord volume) {
        List<Topology> places = volume.volume().getAccessibleTopologyList();
        return segment.isFor(volume.request().getParametersMap())
                && (segment.segment().isEmpty()
                        || places.stream().anyMatch(place -> segment.contains(place.getSegmentsMap())));
    }

    /** Returns the free capacity of a segment in bytes. */
    long left(SegmentRecord segment) {
        long used = backend.volumes.all().stream()
                .filter(volume -> holds(segment, volume))
                .mapToLong(VolumeRecord::bytes)
                .sum();
        return Math.max(0, segment.bytes() - used);
    }

    /** Returns a place as it is shown in messages, like {@code {zone=a}}. */
    static String text(Topology place) {
        return new TreeMap<>(place.getSegmentsMap()).toString();
    }
}

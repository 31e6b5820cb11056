package io.csi4j.testkit;

import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.rule.TopologyRules;
import io.csi4j.testkit.internal.storage.SegmentRecord;
import java.util.Map;

/**
 * The capacity of a topology segment, for {@link FakeStorage#setCapacity}. All sizes are in bytes.
 *
 * <p>A volume takes its size from each segment that contains its place and that is for its parameters. CreateVolume chooses a place with enough
 * room among those that the request allows, in the order of R53, and fails with RESOURCE_EXHAUSTED if there is none. GetCapacity
 * returns what is left (R75). A place that is in no segment is limited by the whole storage only; snapshots take room from the whole storage
 * only.
 *
 * @param segment topology keys and values, like {@code topology.csi4j.io/zone=zone-1}; empty: all places
 * @param parameters the parameters that a volume must have to take room here; empty: all volumes
 * @param bytes the capacity; zero or more
 * @param minimumVolumeSize the size of the smallest volume; zero: no limit. A smaller one is OUT_OF_RANGE
 * @param maximumVolumeSize the size of the largest volume; zero: no limit. A larger one is OUT_OF_RANGE
 */
public record SegmentCapacity(
        Map<String, String> segment,
        Map<String, String> parameters,
        long bytes,
        long minimumVolumeSize,
        long maximumVolumeSize) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException with all problems: a segment that is malformed (R24), a negative number, a minimum above the maximum
     */
    public SegmentCapacity {
        segment = Map.copyOf(segment);
        parameters = Map.copyOf(parameters);
        Problems problems = new Problems();
        if (!segment.isEmpty()) {
            TopologyRules.check(segment, "segment", problems);
        }
        problems.require(bytes >= 0, "bytes", "are " + bytes + "; they must not be negative");
        problems.require(
                minimumVolumeSize >= 0 && maximumVolumeSize >= 0,
                "minimumVolumeSize and maximumVolumeSize",
                "must not be negative; zero means no limit");
        problems.require(
                maximumVolumeSize == 0 || minimumVolumeSize <= maximumVolumeSize,
                "minimumVolumeSize",
                "is " + minimumVolumeSize + " and more than the maximum, which is " + maximumVolumeSize);
        try {
            problems.refuseIfAny();
        } catch (CallRefusal refusal) {
            throw new IllegalArgumentException(refusal.getMessage(), refusal);
        }
    }

    /** Returns the capacity of a segment for all volumes, without limits for the size of a volume. */
    public static SegmentCapacity of(Map<String, String> segment, long bytes) {
        return new SegmentCapacity(segment, Map.of(), bytes, 0, 0);
    }

    /** Returns a capacity that is only for volumes with these parameters. */
    public SegmentCapacity forParameters(Map<String, String> volumeParameters) {
        return new SegmentCapacity(segment, volumeParameters, bytes, minimumVolumeSize, maximumVolumeSize);
    }

    /**
     * Returns a capacity with limits for the size of a volume.
     *
     * @param minimum zero: no limit
     * @param maximum zero: no limit
     */
    public SegmentCapacity withVolumeSizes(long minimum, long maximum) {
        return new SegmentCapacity(segment, parameters, bytes, minimum, maximum);
    }

    SegmentRecord toRecord() {
        return new SegmentRecord(segment, parameters, bytes, minimumVolumeSize, maximumVolumeSize);
    }
}

package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.Map;
import java.util.TreeMap;

/**
 * The capacity of a topology segment for volumes with certain parameters.
 *
 * @param segment the topology keys and values; empty: all places
 * @param parameters the parameters that a volume must have to take room here; empty: all volumes
 * @param bytes the capacity
 * @param minimumVolumeSize the size of the smallest volume; zero: no limit
 * @param maximumVolumeSize the size of the largest volume; zero: no limit
 */
public record SegmentRecord(
        Map<String, String> segment,
        Map<String, String> parameters,
        long bytes,
        long minimumVolumeSize,
        long maximumVolumeSize) {
    static final Codec<SegmentRecord> CODEC =
            new Codec<>("segment", SegmentRecord::key, SegmentRecord::encode, SegmentRecord::decode);

    public SegmentRecord {
        segment = Map.copyOf(segment);
        parameters = Map.copyOf(parameters);
    }

    /** Returns the key of the record; two records have the same key only if segment and parameters are equal. */
    String key() {
        return text(segment) + "|" + text(parameters);
    }

    private static String text(Map<String, String> entries) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(entries)
                .forEach((key, value) -> text.append(key)
                        .append('=')
                        .append(value.length())
                        .append(':')
                        .append(value)
                        .append(','));
        return text.toString();
    }

    /** Returns whether a place is in this segment. */
    boolean contains(Map<String, String> place) {
        return place.entrySet().containsAll(segment.entrySet());
    }

    /** Returns whether this segment is a part of a place, and not the whole place. */
    boolean isPartOf(Map<String, String> place) {
        return segment.size() > place.size() && segment.entrySet().containsAll(place.entrySet());
    }

    boolean isFor(Map<String, String> volumeParameters) {
        return volumeParameters.entrySet().containsAll(parameters.entrySet());
    }

    /** Returns whether a volume of this size is possible here if there is room. */
    boolean allows(long volumeBytes) {
        return volumeBytes >= minimumVolumeSize && (maximumVolumeSize == 0 || volumeBytes <= maximumVolumeSize);
    }

    private RecordFields encode() {
        return new RecordFields()
                .put("segment", segment)
                .put("parameters", parameters)
                .put("bytes", bytes)
                .put("minimum", minimumVolumeSize)
                .put("maximum", maximumVolumeSize);
    }

    private static SegmentRecord decode(RecordFields fields) {
        return new SegmentRecord(
                fields.map("segment"),
                fields.map("parameters"),
                fields.number("bytes"),
                fields.number("minimum"),
                fields.number("maximum"));
    }
}

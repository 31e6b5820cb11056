package io.csi4j.core.csi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where something is: segments from a key, like a zone's, to a value (R24).
 *
 * @param segments key to value, in the order given
 */
public record Topology(Map<String, String> segments) {
    /** Copies the segments. */
    public Topology {
        segments = Collections.unmodifiableMap(new LinkedHashMap<>(segments));
    }

    /**
     * A topology of one segment.
     *
     * @param key for example {@code topology.example.com/zone}
     * @param value for example {@code z1}
     * @return the topology
     */
    public static Topology of(String key, String value) {
        return new Topology(Map.of(key, value));
    }

    /**
     * Whether a text may be the key of a segment (R24). What plugins answer is not held to this.
     *
     * @param text any text
     * @return true for a name of 1 to 63 letters, digits, - _ . that begins and ends with a letter or digit, alone or
     *     behind a lower-case domain of at most 63 characters and a slash
     */
    public static boolean isKey(String text) {
        return SegmentText.isKey(text);
    }

    /**
     * Whether a text may be the value of a segment (R24). What plugins answer is not held to this.
     *
     * @param text any text
     * @return true for 1 to 63 letters, digits, - _ . with a letter or digit at the beginning and the end
     */
    public static boolean isValue(String text) {
        return SegmentText.isPart(text);
    }

    /**
     * Whether what is here is also there: every segment of the other is one of this, which may have
     * more. Keys are compared without regard to case, values exactly (R24).
     *
     * @param other the place to be in
     * @return true if this place lies in the other
     */
    public boolean contains(Topology other) {
        return other.segments.entrySet().stream().allMatch(segment -> {
            String value = segments.get(segment.getKey());
            return value == null
                    ? segments.entrySet().stream()
                            .anyMatch(mine -> mine.getKey().equalsIgnoreCase(segment.getKey())
                                    && mine.getValue().equals(segment.getValue()))
                    : value.equals(segment.getValue());
        });
    }

    /**
     * Whether this place lies in one of the given ones.
     *
     * @param places any number
     * @return false for none
     */
    public boolean containsAny(List<Topology> places) {
        return places.stream().anyMatch(this::contains);
    }
}

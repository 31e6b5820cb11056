package io.csi4j.core.csi;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Where something is: segments from a key, like a zone's, to a value (R24).
 *
 * @param segments key to value, in the order given
 */
public record Topology(Map<String, String> segments) {
    private static final int SHOWN = 128;

    /**
     * The topology as a plugin answered it, which need not keep R24: its answer stays readable. A caller that makes one
     * uses {@link #of(Map)}.
     *
     * @throws IllegalArgumentException if a key or a value holds an unpaired surrogate
     */
    public Topology {
        segments = Text.checked("Topology", segments);
    }

    /**
     * A topology of one segment.
     *
     * @param key for example {@code topology.example.com/zone}
     * @param value for example {@code z1}
     * @return the topology
     * @throws IllegalArgumentException if the key or the value breaks R24
     */
    public static Topology of(String key, String value) {
        return of(Map.of(key, value));
    }

    /**
     * A topology for a request or a declaration.
     *
     * @param segments at least one; keys as {@link #isKey} and values as {@link #isValue} say
     * @return the topology, its segments in the order given
     * @throws IllegalArgumentException if there is none, a key or a value breaks R24, or two keys differ in case only
     */
    public static Topology of(Map<String, String> segments) {
        if (segments.isEmpty()) {
            throw new IllegalArgumentException("Topology has no segments; give at least one key with its value (R24)");
        }
        Set<String> keys = new HashSet<>();
        segments.forEach((key, value) -> {
            if (!isKey(key)) {
                throw new IllegalArgumentException("Topology: the key '" + shown(key)
                        + "' breaks R24; a key is a name, or prefix/name with a lower-case domain as prefix, of 1 to "
                        + SegmentText.PART_CHARS + " characters each");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        "Topology: the key '" + shown(key) + "' is there twice but for its case; keep one (R24)");
            }
            if (!isValue(value)) {
                throw new IllegalArgumentException("Topology: the value under '" + shown(key)
                        + "' breaks R24; a value has 1 to " + SegmentText.PART_CHARS
                        + " letters, digits, - _ . and begins and ends with a letter or digit");
            }
        });
        return new Topology(segments);
    }

    private static String shown(String key) {
        return Text.shown(key.length() > SHOWN ? key.substring(0, SHOWN) + "..." : key);
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

    @Override
    public String toString() {
        return "Topology[segments=" + Text.shown(segments.toString()) + "]";
    }
}

package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The location of a volume or node, as segments such as zone and rack (R24).
 *
 * @param segments the value for each key, in the given order
 */
public record Topology(Map<String, String> segments) {
    private static final int MAX_DISPLAYED = 128;

    /**
     * Creates a topology from a plugin's response, which need not follow R24. To create one for a request, use {@link #of(Map)}.
     *
     * @throws IllegalArgumentException if a key or a value contains an unpaired surrogate
     */
    public Topology {
        segments = Text.checked("Topology", segments);
    }

    /**
     * Returns a topology with one segment.
     *
     * @param key for example {@code topology.example.com/zone}
     * @param value for example {@code z1}
     * @throws IllegalArgumentException if the key or the value breaks R24
     */
    public static Topology of(String key, String value) {
        return of(Map.of(key, value));
    }

    /**
     * Returns a topology for a request or a specification.
     *
     * @param segments at least one; with keys as in {@link #isKey} and values as in {@link #isValue}
     * @return the topology with its segments in the given order
     * @throws IllegalArgumentException if there is no segment, a key or a value breaks R24, or two keys differ in case only
     */
    public static Topology of(Map<String, String> segments) {
        if (segments.isEmpty()) {
            throw new IllegalArgumentException("Topology has no segments; give at least one key with its value (R24)");
        }
        Set<String> keys = new HashSet<>();
        segments.forEach((key, value) -> {
            if (!isKey(key)) {
                throw new IllegalArgumentException("Topology: the key '" + printable(key)
                        + "' breaks R24; a key is a name, or prefix/name with a lower-case domain as prefix, of 1 to "
                        + SegmentText.PART_CHARS + " characters each");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        "Topology: the key '" + printable(key) + "' is there twice but for its case; keep one (R24)");
            }
            if (!isValue(value)) {
                throw new IllegalArgumentException("Topology: the value under '" + printable(key)
                        + "' breaks R24; a value has 1 to " + SegmentText.PART_CHARS
                        + " letters, digits, - _ . and begins and ends with a letter or digit");
            }
        });
        return new Topology(segments);
    }

    private static String printable(String key) {
        return Text.printable(key.length() > MAX_DISPLAYED ? key.substring(0, MAX_DISPLAYED) + "..." : key);
    }

    /**
     * Returns whether a text is a valid key of a segment (R24). This check is for requests; keys in the responses of
     * plugins need not be valid.
     *
     * @return true for a name of 1 to 63 letters, digits, hyphens, underscores and dots that begins and ends with a
     *     letter or digit; a lower-case domain of at most 63 characters and a slash may precede the name
     */
    public static boolean isKey(String text) {
        return SegmentText.isKey(text);
    }

    /**
     * Returns whether a text is a valid value of a segment (R24). This check is for requests; values in the responses
     * of plugins need not be valid.
     *
     * @return true for 1 to 63 letters, digits, hyphens, underscores and dots, if the first and the last are a letter
     *     or digit
     */
    public static boolean isValue(String text) {
        return SegmentText.isPart(text);
    }

    /**
     * Returns whether this topology lies within another one, that is, has every segment of the other one. Keys are
     * compared without regard to case, values exactly (R24).
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

    /** Returns whether this topology lies within at least one of the given places; false for an empty list. */
    public boolean containsAny(List<Topology> places) {
        return places.stream().anyMatch(this::contains);
    }

    @Override
    public String toString() {
        return "Topology[segments=" + Text.printable(segments.toString()) + "]";
    }
}

package io.csi4j.core.csi;

import java.util.Collections;
import java.util.LinkedHashMap;
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
}

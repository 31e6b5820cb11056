package io.csi4j.core.csi;

import java.util.Map;

/**
 * What the provider wants to be told about a volume in later calls: opaque and immutable (R57).
 *
 * <p>Never shown: {@code toString} tells the number of entries only.
 */
public final class VolumeContext extends OpaqueMap {
    private static final VolumeContext EMPTY = new VolumeContext(Map.of());

    private VolumeContext(Map<String, String> entries) {
        super(entries);
    }

    /**
     * The given entries, copied.
     *
     * @param entries keys and values, none of them null
     * @return the same entries, immutable
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static VolumeContext of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new VolumeContext(entries);
    }

    /**
     * No entries.
     *
     * @return the empty value
     */
    public static VolumeContext empty() {
        return EMPTY;
    }
}

package io.csi4j.core.csi;

import java.util.Map;

/**
 * Data about a volume. The plugin returns it, and later calls send it back to the plugin. csi4j does not interpret it
 * (R57). Immutable.
 *
 * <p>{@code toString} shows the number of entries only.
 */
public final class VolumeContext extends OpaqueMap {
    private static final VolumeContext EMPTY = new VolumeContext(Map.of());

    private VolumeContext(Map<String, String> entries) {
        super(entries);
    }

    /**
     * Returns a context with a copy of the entries.
     *
     * @throws IllegalArgumentException if a key or a value contains an unpaired surrogate
     */
    public static VolumeContext of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new VolumeContext(entries);
    }

    /** Returns a context without entries. */
    public static VolumeContext empty() {
        return EMPTY;
    }
}

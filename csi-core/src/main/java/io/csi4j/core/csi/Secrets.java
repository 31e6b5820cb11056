package io.csi4j.core.csi;

import java.util.Map;

/**
 * What authenticates a call to the storage provider. Passed through as it is (R35); keys follow R25.
 *
 * <p>Never shown: {@code toString} tells the number of entries only.
 */
public final class Secrets extends OpaqueMap {
    private static final Secrets EMPTY = new Secrets(Map.of());

    private Secrets(Map<String, String> entries) {
        super(entries);
    }

    /**
     * The given entries, copied.
     *
     * @param entries keys and values, none of them null
     * @return the same entries, immutable
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static Secrets of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new Secrets(entries);
    }

    /**
     * No entries.
     *
     * @return the empty value
     */
    public static Secrets empty() {
        return EMPTY;
    }
}

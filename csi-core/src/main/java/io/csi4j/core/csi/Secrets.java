package io.csi4j.core.csi;

import java.util.Map;

/**
 * Credentials for calls to the storage provider. They are passed to the plugin unchanged (R35). Their keys follow the
 * syntax in R25.
 *
 * <p>{@code toString} shows the number of entries only.
 */
public final class Secrets extends OpaqueMap {
    private static final Secrets EMPTY = new Secrets(Map.of());

    private Secrets(Map<String, String> entries) {
        super(entries);
    }

    /**
     * Returns secrets with a copy of the entries.
     *
     * @throws IllegalArgumentException if a key or a value contains an unpaired surrogate
     */
    public static Secrets of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new Secrets(entries);
    }

    /** Returns secrets without entries. */
    public static Secrets empty() {
        return EMPTY;
    }
}

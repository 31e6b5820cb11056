package io.csi4j.core.csi;

import java.util.Map;

/**
 * What ControllerPublishVolume answered for the node side: opaque, must reach stage and publish
 * unchanged (R63).
 *
 * <p>Never shown: {@code toString} tells the number of entries only.
 */
public final class PublishContext extends OpaqueMap {
    private static final PublishContext EMPTY = new PublishContext(Map.of());

    private PublishContext(Map<String, String> entries) {
        super(entries);
    }

    /**
     * The given entries, copied.
     *
     * @param entries keys and values, none of them null
     * @return the same entries, immutable
     * @throws IllegalArgumentException if one of them holds an unpaired surrogate
     */
    public static PublishContext of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new PublishContext(entries);
    }

    /**
     * No entries.
     *
     * @return the empty value
     */
    public static PublishContext empty() {
        return EMPTY;
    }
}

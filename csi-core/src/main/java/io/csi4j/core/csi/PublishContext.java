package io.csi4j.core.csi;

import java.util.Map;

/**
 * The data that ControllerPublishVolume returns for the node. csi4j does not interpret this data, and passes it
 * unchanged to NodeStageVolume and NodePublishVolume (R63).
 *
 * <p>{@code toString} shows the number of entries only.
 */
public final class PublishContext extends OpaqueMap {
    private static final PublishContext EMPTY = new PublishContext(Map.of());

    private PublishContext(Map<String, String> entries) {
        super(entries);
    }

    /**
     * Returns a context with a copy of the entries.
     *
     * @throws IllegalArgumentException if a key or a value contains an unpaired surrogate
     */
    public static PublishContext of(Map<String, String> entries) {
        return entries.isEmpty() ? EMPTY : new PublishContext(entries);
    }

    /** Returns a context without entries. */
    public static PublishContext empty() {
        return EMPTY;
    }
}

package io.csi4j.core.volume;

/** Says whether a volume existed before it was added to the state, or was created by the engine. */
public enum VolumeOrigin {
    /**
     * The volume existed at the storage provider before it was registered. Without a declared external id, calls use
     * its volume id.
     */
    REGISTERED,
    /** The engine created the volume. Its external id is known after the plugin's response (R56, R57). */
    CREATED,
    /**
     * The plugin makes the content of the volume when a node publishes it, and removes it when the node unpublishes it. The
     * volume is not created, attached, staged or deleted. Its external id is generated.
     */
    INLINE
}

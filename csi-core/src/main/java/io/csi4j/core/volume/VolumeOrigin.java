package io.csi4j.core.volume;

/** Says whether a volume existed before it was added to the state, or was created by the engine. */
public enum VolumeOrigin {
    /**
     * The volume existed at the storage provider before it was registered. Without a declared external id, calls use
     * its volume id.
     */
    REGISTERED,
    /** The engine created the volume. Its external id is known after the plugin's response (R56, R57). */
    CREATED
}

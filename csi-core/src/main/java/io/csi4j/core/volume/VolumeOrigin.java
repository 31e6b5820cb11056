package io.csi4j.core.volume;

/** The way in which a volume was added to the state. */
public enum VolumeOrigin {
    /** The volume existed at the provider. Without an external id, its volume id is used in calls. */
    REGISTERED,
    /** The engine created the volume; its external id is known after the provider's response (R56, R57). */
    CREATED
}

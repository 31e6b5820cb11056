package io.csi4j.core.volume;

/** How a volume came to be known. */
public enum VolumeOrigin {
    /** It was at the provider already; without an external id its remote id is the volume id. */
    REGISTERED,
    /** It is made through csi4j; its external id is known once the provider answered (R56, R57). */
    CREATED
}

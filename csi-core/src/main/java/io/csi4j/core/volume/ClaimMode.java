package io.csi4j.core.volume;

/** What an allocation wants to do with a volume. */
public enum ClaimMode {
    /** Read only. */
    READ,
    /** Read and write. */
    WRITE
}

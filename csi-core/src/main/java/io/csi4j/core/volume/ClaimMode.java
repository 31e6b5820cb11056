package io.csi4j.core.volume;

/** The access of an allocation to a volume. */
public enum ClaimMode {
    /** Read only. */
    READ,
    /** Read and write. */
    WRITE
}

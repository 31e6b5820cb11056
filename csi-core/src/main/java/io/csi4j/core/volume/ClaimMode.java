package io.csi4j.core.volume;

/** Says whether an allocation reads or writes a volume. */
public enum ClaimMode {
    /** The allocation only reads. */
    READ,
    /** The allocation reads and writes. */
    WRITE
}

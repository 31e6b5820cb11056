package io.csi4j.core.csi;

/** What a row of usage counts (R92). */
public enum VolumeUsageUnit implements WireEnum {
    /** A number this version does not know. */
    UNKNOWN(0),
    /** Bytes. */
    BYTES(1),
    /** Inodes. */
    INODES(2);

    private final int number;

    VolumeUsageUnit(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}

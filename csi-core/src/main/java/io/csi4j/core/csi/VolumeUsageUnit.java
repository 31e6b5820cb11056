package io.csi4j.core.csi;

/** The unit of a volume's usage (R92). */
public enum VolumeUsageUnit implements WireEnum {
    /** A unit that this version of csi4j does not know. */
    UNKNOWN(0),
    BYTES(1),
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

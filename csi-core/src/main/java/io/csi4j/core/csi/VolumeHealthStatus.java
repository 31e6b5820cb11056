package io.csi4j.core.csi;

/** What is wrong with a volume (R104, CSI 1.13). */
public enum VolumeHealthStatus implements WireEnum {
    /** A number this version does not know; to be ignored (R104). */
    UNKNOWN(0),
    /** Works, with less redundancy or speed than it should. */
    DEGRADED(1),
    /** Cannot be used now. */
    INACCESSIBLE(2),
    /** Data is lost. */
    DATA_LOSS(3);

    private final int number;

    VolumeHealthStatus(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}

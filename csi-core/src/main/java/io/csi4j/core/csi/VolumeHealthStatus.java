package io.csi4j.core.csi;

/** The kinds of problems of a volume (R104, CSI 1.13). */
public enum VolumeHealthStatus implements WireEnum {
    /** A kind of problem that this version of csi4j does not know; csi4j ignores such problems (R104). */
    UNKNOWN(0),
    /** The volume works, but slower or with less redundancy than it should. */
    DEGRADED(1),
    /** The volume cannot be used now. */
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

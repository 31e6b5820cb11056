package io.csi4j.core.csi;

/** The times at which a plugin can expand a volume (R82). */
public enum VolumeExpansion implements WireEnum {
    /** At any time. */
    ONLINE(1),
    /** Only while the volume is not published. */
    OFFLINE(2);

    private final int number;

    VolumeExpansion(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}

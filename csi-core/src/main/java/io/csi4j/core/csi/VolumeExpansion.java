package io.csi4j.core.csi;

/** Says when a plugin can expand a volume (R82). */
public enum VolumeExpansion implements WireEnum {
    /** The plugin can expand a volume at any time. */
    ONLINE(1),
    /** The plugin can expand a volume only while it is not published. */
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

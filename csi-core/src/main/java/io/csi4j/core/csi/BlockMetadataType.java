package io.csi4j.core.csi;

/** How the ranges of a stream of snapshot metadata are cut (R101). */
public enum BlockMetadataType implements WireEnum {
    /** A number this version does not know. */
    UNKNOWN(0),
    /** All ranges have the same size. */
    FIXED_LENGTH(1),
    /** Ranges differ in size. */
    VARIABLE_LENGTH(2);

    private final int number;

    BlockMetadataType(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}

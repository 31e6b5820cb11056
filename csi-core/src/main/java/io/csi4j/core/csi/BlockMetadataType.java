package io.csi4j.core.csi;

/** Whether the ranges of a metadata stream have one size (R101). */
public enum BlockMetadataType implements WireEnum {
    /** A number that this version does not know. */
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

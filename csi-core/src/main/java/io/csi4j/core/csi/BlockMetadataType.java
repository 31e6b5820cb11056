package io.csi4j.core.csi;

/** Says whether all ranges in a metadata stream have the same size (R101). */
public enum BlockMetadataType implements WireEnum {
    /** A type of metadata stream that this version of csi4j does not know. */
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

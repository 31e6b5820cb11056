package io.csi4j.core.csi;

/** A value of an enum of CSI with its number on the wire. */
public interface WireEnum {
    /** Returns the number on the wire; 0 is always "unknown". */
    int number();
}

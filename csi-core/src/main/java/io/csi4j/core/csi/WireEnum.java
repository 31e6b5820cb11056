package io.csi4j.core.csi;

/** An enum of CSI with the number it has on the wire. */
public interface WireEnum {
    /**
     * The number on the wire.
     *
     * @return 0 or more; 0 is always "unknown"
     */
    int number();
}

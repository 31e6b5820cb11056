package io.csi4j.core.csi;

/** An enum of CSI whose values have numbers in the protocol. */
public interface WireEnum {
    /** Returns the number of this value in the protocol; 0 always means unknown. */
    int number();
}

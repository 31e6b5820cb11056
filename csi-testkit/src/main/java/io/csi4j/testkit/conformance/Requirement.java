package io.csi4j.testkit.conformance;

/** The word with which the specification demands a behaviour. */
public enum Requirement {
    /** The plugin has to behave so. */
    MUST,
    /** The specification recommends the behaviour. */
    SHOULD,
    /** CSI leaves the behaviour to the plugin, and yet some callers rely on it. */
    MAY
}

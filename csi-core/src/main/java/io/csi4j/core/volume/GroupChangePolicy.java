package io.csi4j.core.volume;

/** Which files of a mounted volume a node gives to the volume mount group. */
public enum GroupChangePolicy {
    /** All files if the root directory does not have the group and its rights; otherwise none. */
    ON_ROOT_MISMATCH,
    /** All files, at each mount. */
    ALWAYS,
    /** The root directory alone. */
    ROOT_ONLY
}

package io.csi4j.core.volume;

/** Which files of a mounted volume a node gives to the volume mount group. */
public enum GroupChangePolicy {
    /** All files if the root directory does not have the group and its rights; otherwise none. */
    ON_ROOT_MISMATCH,
    /** All files, at each mount. */
    ALWAYS,
    /** The root directory alone. */
    ROOT_ONLY,
    /**
     * The root directory alone, and only while the volume is empty: the root has no entries but {@code lost+found} and the
     * {@linkplain io.csi4j.core.plugin.OwnershipSettings#excludes() excluded} ones of the plugin. So a new volume gets its
     * group at its first mount, and a volume with files is mounted as it is, whatever its group. A claim for reading is
     * possible, and changes nothing.
     */
    ROOT_IF_EMPTY
}

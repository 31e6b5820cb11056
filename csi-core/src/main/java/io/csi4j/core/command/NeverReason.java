package io.csi4j.core.command;

/** The reasons why a claim will never be granted unless the request or the volume changes. */
public enum NeverReason {
    /**
     * The volume belongs to another namespace than the allocation, and is not shared with the allocation's namespace.
     */
    OTHER_NAMESPACE,
    /** The volume's specification does not contain the claim's pair of access mode and mount or block type. */
    CAPABILITY_NOT_REQUESTED,
    /** The claim writes, but its access mode allows only readers. */
    WRITE_IN_READER_MODE,
    /** Mount options were given for a block device. */
    MOUNT_OPTIONS_ON_BLOCK,
    /** The plugin does not have a capability that the claim needs (R42). */
    PLUGIN_CANNOT,
    /** The node is outside the topology from which the volume is accessible (R24). */
    OUT_OF_REACH,
    /** The volume is being deleted, so it cannot be claimed. */
    VOLUME_LEAVING,
    /** The node is fenced or gone. */
    NODE_LOST,
    /** The allocation already holds a claim on the volume with another mode, capability or other mount options. */
    CLAIMED_DIFFERENTLY,
    /**
     * The allocation requests several mounts of the volume that one claim cannot serve: with different capabilities, file
     * systems or groups (R85, R90), or with different modes or flags while the access mode allows one target (R89).
     */
    REQUESTED_DIFFERENTLY
}

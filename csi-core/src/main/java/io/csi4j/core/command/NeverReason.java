package io.csi4j.core.command;

/** Why a claim will not be taken, however long one waits. */
public enum NeverReason {
    /** The volume is of another namespace than the allocation and is not shared with the allocation's. */
    OTHER_NAMESPACE,
    /** The volume does not have this pair of access and attachment mode among its capabilities. */
    CAPABILITY_NOT_REQUESTED,
    /** The claim writes, and the access mode is a reader's. */
    WRITE_IN_READER_MODE,
    /** Mount options were given for a block device. */
    MOUNT_OPTIONS_ON_BLOCK,
    /** The plugin does not offer what the claim needs (R42). */
    PLUGIN_CANNOT,
    /** The node is not where the volume is accessible from (R24). */
    OUT_OF_REACH,
    /** The volume is being deleted. */
    VOLUME_LEAVING,
    /** The node is fenced or gone. */
    NODE_LOST,
    /** The allocation holds a claim on the volume with other arguments. */
    CLAIMED_DIFFERENTLY,
    /** The allocation requests the volume more than once, with different capabilities or mount options (R85). */
    REQUESTED_DIFFERENTLY
}

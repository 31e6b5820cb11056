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
    /** The state was restored, and the storage provider does not have the volume. */
    VOLUME_LOST,
    /** The node is fenced or gone. */
    NODE_LOST,
    /** The allocation already holds a claim on the volume with another mode, capability or other mount options. */
    CLAIMED_DIFFERENTLY,
    /**
     * The allocation requests several mounts of the volume that one claim cannot serve: with different capabilities, file
     * systems, groups or security labels (R85, R90), or with different modes or flags while the access mode allows one target (R89).
     */
    REQUESTED_DIFFERENTLY,
    /** The volume was made from another template than the request has, or without one. */
    TEMPLATE_DIFFERS,
    /** The volume belongs to another allocation, and only that one can claim it. */
    OWNED_BY_ALLOCATION,
    /** The workload to which the volume would belong has ended. */
    OWNER_ENDED,
    /** A former life of the workload has left a volume with the key, and the template does not say that it is used. */
    RETAINED_VOLUME_EXISTS,
    /** The volume cannot be made from its template: the class, the size or the plugin do not allow it, or a quota. */
    TEMPLATE_REFUSED,
    /** The class of the template does not allow volumes in the topology of the node. */
    TOPOLOGY_NOT_ALLOWED,
    /** The plugin has no room for the volume in the topology of the node. Another node may be in one that has room. */
    NO_CAPACITY_IN_TOPOLOGY,
    /** The plugin has refused to make the volume, wherever it would be. */
    CREATION_REFUSED,
    /** The plugin has made the volume where the node cannot use it. */
    WRONG_PLACE,
    /**
     * The plugin has not said for too long whether it has made the volume. The attempt is settled in the background; a
     * claim on the same node continues it, and a claim on another node makes another volume.
     */
    CREATION_UNSETTLED,
    /** Too many earlier attempts to make the volume are not settled yet. */
    TOO_MANY_UNSETTLED
}

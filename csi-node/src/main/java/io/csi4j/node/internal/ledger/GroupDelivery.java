package io.csi4j.node.internal.ledger;

/**
 * The party that gives the files of a volume to its group. It is decided before the first call that mounts the volume and stays
 * until the volume is unmounted, so that a repeated call has the same fields (R29) when the plugin was replaced meanwhile.
 */
public enum GroupDelivery {
    /** No call was made, or the volume has no group. */
    UNDECIDED,
    /** The calls contain the group, because the plugin has VOLUME_MOUNT_GROUP. */
    PLUGIN,
    /** The calls contain no group, and the node changes the files after NodePublishVolume. */
    NODE
}

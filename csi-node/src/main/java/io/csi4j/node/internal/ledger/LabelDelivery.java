package io.csi4j.node.internal.ledger;

/**
 * The party that gives the files of a volume the security label of its uses. It is decided before the first call that mounts
 * the volume and stays until the volume is unmounted, so that a changed profile of the plugin changes no staging.
 */
public enum LabelDelivery {
    /** No call was made, or the uses have no label. */
    UNDECIDED,
    /** The calls contain the label as a mount flag, and the mount table has to have it. */
    MOUNT,
    /** The calls contain no label. The host may label the files. */
    HOST
}

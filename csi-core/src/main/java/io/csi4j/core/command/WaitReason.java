package io.csi4j.core.command;

/** Why a claim cannot be taken now, though it may be later. */
public enum WaitReason {
    /** The volume is being created. */
    VOLUME_NOT_READY,
    /** Its plugin is to expand it, and does so only while nobody uses it (R82). */
    EXPANDING_OFFLINE,
    /** The volume is claimed with another access or attachment mode. */
    OTHER_CAPABILITY_IN_USE,
    /** The access mode allows one node, and the volume is claimed on another. */
    CLAIMED_ON_OTHER_NODE,
    /** The access mode allows no further claim, or no further writer. */
    WRITER_OR_CLAIM_TAKEN,
    /** Its plugin stages it, and it is staged on the node with other mount options (R85). */
    OTHER_MOUNT_OPTIONS_IN_USE,
    /** It is attached read-only on the node, and the claim writes. */
    ATTACHED_READONLY,
    /** It is being detached from the node. */
    BEING_DETACHED,
    /** The allocation's own former claim is being released. */
    OWN_CLAIM_RELEASING,
    /** The node does not answer, or is not known. */
    NODE_NOT_READY,
    /** No healthy instance of the plugin serves the node service there. */
    NO_HEALTHY_NODE_PLUGIN,
    /** The controller has to publish, and none is healthy. */
    NO_HEALTHY_CONTROLLER,
    /** What the plugin can do is not known yet; that is not the same as "nothing" (I8). */
    PLUGIN_NOT_KNOWN,
    /** The node has as many volumes of the plugin as it can take. */
    NODE_FULL
}

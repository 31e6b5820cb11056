package io.csi4j.core.command;

/** The reasons why a claim cannot be granted now, but may be granted later. */
public enum WaitReason {
    /** The volume is being created. */
    VOLUME_NOT_READY,
    /** An expansion of the volume is requested, and the plugin expands a volume only while it is not in use (R82). */
    EXPANDING_OFFLINE,
    /** The volume is claimed with another access mode or another mount or block type. */
    OTHER_CAPABILITY_IN_USE,
    /** The access mode allows one node, and the volume is claimed on another. */
    CLAIMED_ON_OTHER_NODE,
    /**
     * The access mode allows no additional claim; or the claim writes, and the access mode allows no additional writer.
     */
    WRITER_OR_CLAIM_TAKEN,
    /** The volume is staged on the node with other mount options (R85). */
    OTHER_MOUNT_OPTIONS_IN_USE,
    /** The volume is attached read-only on the node, and the claim writes. */
    ATTACHED_READONLY,
    /** The volume is being detached from the node. */
    BEING_DETACHED,
    /** A node may still have the volume mounted under another key, which it had before it was forgotten or restored. */
    LEFT_ON_NODE,
    /** The allocation's own earlier claim on the volume is being released. */
    OWN_CLAIM_RELEASING,
    /**
     * A node may use the volume without a claim of the state: it has not reported its ledger since the state was
     * restored, or its ledger names the volume and no claim represents that.
     */
    LEDGER_NOT_KNOWN,
    /**
     * The volume is older than the last restore of the state, and the storage provider has not said yet that it has the
     * volume; or the volume was being created then, and its creation has to be requested again.
     */
    NOT_VERIFIED,
    /** The node is disconnected, down, or not known. */
    NODE_NOT_READY,
    /**
     * The plugin reports another external id for the node than the volume's claims or attachment there have: the machine
     * was replaced, or the plugin renamed it. The claim waits until they are released, or an operator says which it is.
     */
    NODE_REPLACED,
    /** No healthy instance of the plugin serves the node service on the node. */
    NO_HEALTHY_NODE_PLUGIN,
    /**
     * The plugin's instance on the node reports another provider name than the one that the plugin's volumes belong to.
     */
    PROVIDER_CONFLICT,
    /** The controller must publish the volume, and no controller instance is healthy. */
    NO_HEALTHY_CONTROLLER,
    /** The plugin has not reported its capabilities yet. The claim waits for this report. */
    PLUGIN_NOT_KNOWN,
    /** The number of the plugin's volumes on the node has reached the node's limit. */
    NODE_FULL
}

package io.csi4j.node.internal.ledger;

/** How far the mount or unmount of a volume for one allocation has come. */
public enum UsePhase {
    /** The mount is requested. No NodePublishVolume was sent for it, or a later NodeUnpublishVolume has succeeded. */
    WANTED,
    /** NodePublishVolume may have been sent. */
    PUBLISHING,
    /**
     * NodePublishVolume was answered with OK, and before it reports the mount, the node gives the files to the mount's group,
     * or looks whether the plugin has.
     */
    OWNERSHIP,
    /** NodePublishVolume was answered with OK, and the mount is ready. */
    PUBLISHED,
    /**
     * The mount is requested, but an old mount at the target has to be removed first. NodeUnpublishVolume may have been
     * sent.
     */
    RESETTING,
    /** The mount is no longer requested: NodeUnpublishVolume may have been sent. */
    LEAVING;

    public boolean living() {
        return this != LEAVING;
    }

    /** Returns whether the volume is published at the target path, or possibly is. */
    public boolean mayBePublished() {
        return this != WANTED;
    }

    /** Returns whether NodePublishVolume was answered with OK, and the target stays. */
    public boolean published() {
        return this == OWNERSHIP || this == PUBLISHED;
    }

    public boolean goes() {
        return this == RESETTING || this == LEAVING;
    }
}

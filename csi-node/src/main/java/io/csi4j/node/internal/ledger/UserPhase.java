package io.csi4j.node.internal.ledger;

/** Where an allocation's use of a volume is. */
public enum UserPhase {
    /** Wanted, and no NodePublishVolume was ever sent for it, or the last was undone. */
    WANTED,
    /** NodePublishVolume may have been sent. */
    PUBLISHING,
    /** It was answered with OK. */
    PUBLISHED,
    /** Wanted, but what is there has to go first: NodeUnpublishVolume may have been sent. */
    RESETTING,
    /** No longer wanted: NodeUnpublishVolume may have been sent. */
    LEAVING;

    public boolean living() {
        return this != LEAVING;
    }

    /** Whether something may be at the target path. */
    public boolean mayBePublished() {
        return this != WANTED;
    }

    public boolean goes() {
        return this == RESETTING || this == LEAVING;
    }
}

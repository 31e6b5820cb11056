package io.csi4j.core.snapshot;

/** The phases in the life of a snapshot in the state. */
public enum SnapshotPhase {
    /** CreateSnapshot is called until the snapshot is ready to use (R76, R77). */
    CREATING,
    /** Volumes can be restored from the snapshot. */
    READY,
    /** The plugin refused the creation finally. A request to delete the snapshot removes the rest of it (R78). */
    FAILED,
    /**
     * The plugin refused the creation finally, after a call without an answer. So the storage provider may have the
     * snapshot, and its id is not known. Only an operator can remove the row.
     */
    MAYBE_LEAKED,
    /** DeleteSnapshot is called until the storage provider has removed the snapshot (R80). */
    DELETING
}

package io.csi4j.node.internal.ledger;

/** How far a volume's staging, or its removal, has come. */
public enum StagingPhase {
    /** NodeStageVolume may have been sent. */
    STAGING,
    /** NodeStageVolume was answered with OK. */
    STAGED,
    /** The staging is being removed: NodeUnstageVolume may have been sent. No target that depends on the staging is published any more. */
    UNSTAGING
}

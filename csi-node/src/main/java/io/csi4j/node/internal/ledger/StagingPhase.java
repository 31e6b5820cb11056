package io.csi4j.node.internal.ledger;

/** Where a staging is. */
public enum StagingPhase {
    /** NodeStageVolume may have been sent. */
    STAGING,
    /** It was answered with OK. */
    STAGED,
    /** It has to go: NodeUnstageVolume may have been sent. Nobody is published from it from here on. */
    UNSTAGING
}

package io.csi4j.node.internal.ledger;

/**
 * The staging of a volume; a volume has at most one (R85).
 *
 * @param terms the parameters of NodeStageVolume, which a repeated call has to contain (R29)
 * @param bootId the id of the boot in which the phase was reached; empty if not known
 * @param observed whether the mount table had the path after NodeStageVolume; a plugin may stage without a mount
 * @param answered whether NodeStageVolume was answered with OK before the removal of the staging began
 */
public record StagingEntry(MountTerms terms, StagingPhase phase, String bootId, boolean observed, boolean answered) {
    public StagingEntry(MountTerms terms, StagingPhase phase, String bootId, boolean observed) {
        this(terms, phase, bootId, observed, false);
    }

    /** Returns whether NodeStageVolume was answered with OK; otherwise a call may still take effect. */
    public boolean wasAnswered() {
        return phase == StagingPhase.STAGED || (phase == StagingPhase.UNSTAGING && answered);
    }

    public StagingEntry in(StagingPhase next) {
        return new StagingEntry(terms, next, bootId, observed, next == StagingPhase.UNSTAGING && wasAnswered());
    }
}

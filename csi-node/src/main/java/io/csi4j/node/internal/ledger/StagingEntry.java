package io.csi4j.node.internal.ledger;

/**
 * The staging of a volume; a volume has at most one (R85).
 *
 * @param terms the parameters of NodeStageVolume, which a repeated call has to contain (R29)
 * @param bootId the id of the boot in which the phase was reached; empty if not known
 * @param observed whether the mount table had the path after NodeStageVolume; a plugin may stage without a mount
 */
public record StagingEntry(MountTerms terms, StagingPhase phase, String bootId, boolean observed) {
    public StagingEntry in(StagingPhase next) {
        return new StagingEntry(terms, next, bootId, observed);
    }
}

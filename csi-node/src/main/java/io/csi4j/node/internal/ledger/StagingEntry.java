package io.csi4j.node.internal.ledger;

/**
 * The staging of a volume; there is one at most (R85).
 *
 * @param terms as NodeStageVolume was told, so that a replay says the same (R29)
 * @param bootId the run of the machine in which the phase was reached; empty: not known
 * @param seen whether the mount table showed the path after NodeStageVolume; a plugin may stage without a mount
 */
public record StagingEntry(MountTerms terms, StagingPhase phase, String bootId, boolean seen) {
    public StagingEntry in(StagingPhase next) {
        return new StagingEntry(terms, next, bootId, seen);
    }
}

package io.csi4j.node;

import io.csi4j.core.id.AllocationId;

/**
 * One allocation's use of a volume.
 *
 * @param bootId the run of the machine in which the phase was reached; empty: not known
 * @param seen whether the mount table showed the target after NodePublishVolume: only then does its absence mean
 *     something, since a plugin may publish a device without a mount
 * @param secrets whether it came with secrets
 */
record UserEntry(
        AllocationId allocationId, MountTerms terms, UserPhase phase, String bootId, boolean seen, HadSecrets secrets) {
    UserEntry(AllocationId allocationId, MountTerms terms, UserPhase phase, String bootId, boolean seen) {
        this(allocationId, terms, phase, bootId, seen, HadSecrets.NONE);
    }

    static UserEntry wanted(AllocationId allocationId, MountTerms terms) {
        return new UserEntry(allocationId, terms, UserPhase.WANTED, "", false);
    }

    UserEntry in(UserPhase next) {
        return new UserEntry(allocationId, terms, next, bootId, seen, secrets);
    }

    UserEntry in(UserPhase next, String boot, boolean seenThere) {
        return new UserEntry(allocationId, terms, next, boot, seenThere, secrets);
    }

    UserEntry with(MountTerms newTerms) {
        return new UserEntry(allocationId, newTerms, phase, bootId, seen, secrets);
    }

    UserEntry with(HadSecrets had) {
        return new UserEntry(allocationId, terms, phase, bootId, seen, had);
    }
}

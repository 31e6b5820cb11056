package io.csi4j.node;

import io.csi4j.core.id.AllocationId;

/**
 * One allocation's use of a volume.
 *
 * @param bootId the run of the machine in which the phase was reached; empty: not known
 * @param seen whether the mount table showed the target after NodePublishVolume: only then does its absence mean
 *     something, since a plugin may publish a device without a mount
 */
record UserEntry(AllocationId allocationId, MountTerms terms, UserPhase phase, String bootId, boolean seen) {
    static UserEntry wanted(AllocationId allocationId, MountTerms terms) {
        return new UserEntry(allocationId, terms, UserPhase.WANTED, "", false);
    }

    UserEntry in(UserPhase next) {
        return new UserEntry(allocationId, terms, next, bootId, seen);
    }

    UserEntry in(UserPhase next, String boot, boolean seenThere) {
        return new UserEntry(allocationId, terms, next, boot, seenThere);
    }

    UserEntry with(MountTerms newTerms) {
        return new UserEntry(allocationId, newTerms, phase, bootId, seen);
    }
}

package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.AllocationId;
import org.jspecify.annotations.Nullable;

/**
 * The use of a volume by one allocation.
 *
 * @param bootId the id of the boot in which the phase was reached; empty if not known
 * @param observed whether the mount table had the target after NodePublishVolume. If false, the target may be missing in
 *     the table later, because a plugin may publish a device without a mount
 * @param secrets whether the request had secrets
 * @param mayRun whether the record was lost and made anew. Until NodePublishVolume is answered with OK, a mount at the
 *     target may then belong to a running workload
 * @param order an operator's order to unmount without the plugin; only while the use is ending
 */
public record UserEntry(
        AllocationId allocationId,
        MountTerms terms,
        UserPhase phase,
        String bootId,
        boolean observed,
        HadSecrets secrets,
        boolean mayRun,
        @Nullable UnmountOrder order) {
    public UserEntry(AllocationId allocationId, MountTerms terms, UserPhase phase, String bootId, boolean observed) {
        this(allocationId, terms, phase, bootId, observed, HadSecrets.NONE, false, null);
    }

    public static UserEntry wanted(AllocationId allocationId, MountTerms terms) {
        return new UserEntry(allocationId, terms, UserPhase.WANTED, "", false);
    }

    public UserEntry in(UserPhase next) {
        return in(next, bootId, observed);
    }

    public UserEntry in(UserPhase next, String boot, boolean observedThere) {
        boolean unanswered = phase == UserPhase.WANTED || phase == UserPhase.PUBLISHING;
        boolean stillMayRun = mayRun && unanswered && next == UserPhase.PUBLISHING;
        UnmountOrder stillOrdered = next == UserPhase.LEAVING ? order : null;
        return new UserEntry(allocationId, terms, next, boot, observedThere, secrets, stillMayRun, stillOrdered);
    }

    public UserEntry with(MountTerms newTerms) {
        return new UserEntry(allocationId, newTerms, phase, bootId, observed, secrets, mayRun, order);
    }

    public UserEntry with(HadSecrets had) {
        return new UserEntry(allocationId, terms, phase, bootId, observed, had, mayRun, order);
    }

    public UserEntry withMayRun(boolean may) {
        return new UserEntry(allocationId, terms, phase, bootId, observed, secrets, may, order);
    }

    public UserEntry with(@Nullable UnmountOrder given) {
        return new UserEntry(allocationId, terms, phase, bootId, observed, secrets, mayRun, given);
    }
}

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
public record UseEntry(
        AllocationId allocationId,
        MountTerms terms,
        UsePhase phase,
        String bootId,
        boolean observed,
        HadSecrets secrets,
        boolean mayRun,
        @Nullable UnmountOrder order) {
    public UseEntry(AllocationId allocationId, MountTerms terms, UsePhase phase, String bootId, boolean observed) {
        this(allocationId, terms, phase, bootId, observed, HadSecrets.NONE, false, null);
    }

    public static UseEntry wanted(AllocationId allocationId, MountTerms terms) {
        return new UseEntry(allocationId, terms, UsePhase.WANTED, "", false);
    }

    public UseEntry in(UsePhase next) {
        return in(next, bootId, observed);
    }

    public UseEntry in(UsePhase next, String boot, boolean observedThere) {
        boolean unanswered = phase == UsePhase.WANTED || phase == UsePhase.PUBLISHING;
        boolean stillMayRun = mayRun && unanswered && next == UsePhase.PUBLISHING;
        UnmountOrder stillOrdered = next == UsePhase.LEAVING ? order : null;
        return new UseEntry(allocationId, terms, next, boot, observedThere, secrets, stillMayRun, stillOrdered);
    }

    public UseEntry with(MountTerms newTerms) {
        return new UseEntry(allocationId, newTerms, phase, bootId, observed, secrets, mayRun, order);
    }

    public UseEntry with(HadSecrets had) {
        return new UseEntry(allocationId, terms, phase, bootId, observed, had, mayRun, order);
    }

    public UseEntry withMayRun(boolean may) {
        return new UseEntry(allocationId, terms, phase, bootId, observed, secrets, may, order);
    }

    public UseEntry with(@Nullable UnmountOrder given) {
        return new UseEntry(allocationId, terms, phase, bootId, observed, secrets, mayRun, given);
    }
}

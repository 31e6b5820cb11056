package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.AllocationId;
import org.jspecify.annotations.Nullable;

/**
 * The use of a volume by one mount of an allocation.
 *
 * @param bootId the id of the boot in which the phase was reached; empty if not known
 * @param observed whether the mount table had the target after NodePublishVolume. If false, the target may be missing in
 *     the table later, because a plugin may publish a device without a mount
 * @param secrets whether the request had secrets
 * @param mayRun whether the record was lost and made anew. Until NodePublishVolume is answered with OK, a mount at the
 *     target may then belong to a running workload
 * @param order an operator's order to unmount without the plugin; only while the use is ending
 * @param answered whether NodePublishVolume was answered with OK before the target is being unmounted. If false, a call
 *     may still take effect
 * @param renewal how the mount is published again while it is used
 */
public record UseEntry(
        UseId id,
        MountTerms terms,
        UsePhase phase,
        String bootId,
        boolean observed,
        HadSecrets secrets,
        boolean mayRun,
        @Nullable UnmountOrder order,
        boolean answered,
        Renewal renewal) {
    public UseEntry(UseId id, MountTerms terms, UsePhase phase, String bootId, boolean observed) {
        this(id, terms, phase, bootId, observed, HadSecrets.NONE, false, null, false, Renewal.NONE);
    }

    public static UseEntry wanted(UseId id, MountTerms terms) {
        return new UseEntry(id, terms, UsePhase.WANTED, "", false);
    }

    public AllocationId allocationId() {
        return id.allocationId();
    }

    public UseEntry in(UsePhase next) {
        return in(next, bootId, observed);
    }

    public UseEntry in(UsePhase next, String boot, boolean observedThere) {
        boolean unanswered = phase == UsePhase.WANTED || phase == UsePhase.PUBLISHING;
        boolean stillMayRun = mayRun && unanswered && next == UsePhase.PUBLISHING;
        UnmountOrder stillOrdered = next == UsePhase.LEAVING ? order : null;
        boolean wasAnswered = phase.published() || (phase.goes() && answered);
        return new UseEntry(
                id,
                terms,
                next,
                boot,
                observedThere,
                secrets,
                stillMayRun,
                stillOrdered,
                next.goes() && wasAnswered,
                next.published() ? renewal : Renewal.of(renewal.options()));
    }

    public UseEntry with(MountTerms newTerms) {
        return new UseEntry(id, newTerms, phase, bootId, observed, secrets, mayRun, order, answered, renewal);
    }

    public UseEntry with(HadSecrets had) {
        return new UseEntry(id, terms, phase, bootId, observed, had, mayRun, order, answered, renewal);
    }

    public UseEntry withMayRun(boolean may) {
        return new UseEntry(id, terms, phase, bootId, observed, secrets, may, order, answered, renewal);
    }

    public UseEntry with(@Nullable UnmountOrder given) {
        return new UseEntry(id, terms, phase, bootId, observed, secrets, mayRun, given, answered, renewal);
    }

    public UseEntry with(Renewal newRenewal) {
        return new UseEntry(id, terms, phase, bootId, observed, secrets, mayRun, order, answered, newRenewal);
    }
}

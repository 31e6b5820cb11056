package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import java.util.List;
import java.util.function.Predicate;

/**
 * Leaves out of a rejection the objects that its caller may not see: a volume of another namespace, and the claims and
 * attachments of a volume that the caller may not read.
 */
final class VisibleRejections {
    private VisibleRejections() {}

    /**
     * Returns the failure of an operation as its caller may see it.
     *
     * @param mayRead returns whether the caller may read a volume
     */
    static Throwable of(Throwable failure, Predicate<VolumeKey> mayRead) {
        if (!(Futures.unwrap(failure) instanceof RejectedException rejected) || rejected.reason() == null) {
            return failure;
        }
        Rejection visible = of(rejected.reason(), mayRead);
        return visible.equals(rejected.reason()) ? failure : new RejectedException(visible);
    }

    private static Rejection of(Rejection reason, Predicate<VolumeKey> mayRead) {
        if (reason instanceof Rejection.InBatch batch) {
            return new Rejection.InBatch(batch.position(), of(batch.cause(), mayRead));
        }
        if (reason instanceof Rejection.ExternalIdTaken taken && !mayRead.test(taken.holder())) {
            return new Rejection.InvalidRequest(
                    "volume " + taken.key(),
                    List.of(new Problem(
                            "externalVolumeId",
                            "is " + taken.externalVolumeId() + " of plugin " + taken.pluginId()
                                    + ", which is registered under another key",
                            "use another volume, or ask an operator who may see that one")));
        }
        if (reason instanceof Rejection.VolumeInUse used && !mayRead.test(used.key())) {
            return new Rejection.VolumeInUse(used.key(), List.of(), List.of());
        }
        if (reason instanceof Rejection.AttachmentInUse used && !mayRead.test(used.key())) {
            return new Rejection.AttachmentInUse(used.key(), used.nodeId(), List.of());
        }
        if (reason instanceof Rejection.NotAdmitted waiting
                && waiting.decision() instanceof AdmissionDecision.Wait wait
                && !mayRead.test(waiting.key())) {
            return new Rejection.NotAdmitted(
                    waiting.key(),
                    waiting.allocationId(),
                    new AdmissionDecision.Wait(wait.reason(), List.of(), "it waits with the reason " + wait.reason()));
        }
        return reason;
    }
}

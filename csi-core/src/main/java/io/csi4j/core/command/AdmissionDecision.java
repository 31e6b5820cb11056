package io.csi4j.core.command;

import io.csi4j.core.volume.Holder;
import java.util.List;
import java.util.Objects;

/** Whether a claim may be taken. */
public sealed interface AdmissionDecision {
    /**
     * It may be taken, or is there already.
     *
     * @param alreadyHeld whether the allocation has this very claim
     */
    record Admitted(boolean alreadyHeld) implements AdmissionDecision {}

    /**
     * It may be taken later.
     *
     * @param reason why not now
     * @param holders whose release it waits for; empty where it is not for a release
     * @param detail the reason for an operator
     */
    record Wait(WaitReason reason, List<Holder> holders, String detail) implements AdmissionDecision {
        public Wait {
            Objects.requireNonNull(reason, "reason");
            holders = List.copyOf(holders);
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * It will not be taken, however long one waits: the request or the volume has to change.
     *
     * @param reason why not
     * @param detail the reason for an operator
     */
    record Never(NeverReason reason, String detail) implements AdmissionDecision {
        /** Checks that both parts are there. */
        public Never {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * Whether the claim may be taken now.
     *
     * @return true if admitted
     */
    default boolean admitted() {
        return this instanceof Admitted;
    }
}

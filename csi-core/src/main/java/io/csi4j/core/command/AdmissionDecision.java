package io.csi4j.core.command;

import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.Holder;
import java.util.List;
import java.util.Objects;

/** The decision whether a claim is granted now, has to wait, or is never granted. */
public sealed interface AdmissionDecision {
    /**
     * The claim may be granted, or is granted already.
     *
     * @param alreadyHeld whether the allocation already holds an equal claim
     */
    record Admitted(boolean alreadyHeld) implements AdmissionDecision {}

    /**
     * The claim may be granted later.
     *
     * @param reason the reason for the wait
     * @param holders the claims that must be released first; empty if the claim does not wait for a release
     * @param detail the reason in a sentence for an operator
     */
    record Wait(WaitReason reason, List<Holder> holders, String detail) implements AdmissionDecision {
        public Wait {
            Objects.requireNonNull(reason, "reason");
            holders = List.copyOf(holders);
            detail = Text.repaired(Objects.requireNonNull(detail, "detail"));
        }
    }

    /**
     * The claim is never granted unless the request or the volume changes.
     *
     * @param reason the reason for the refusal
     * @param detail the reason in a sentence for an operator
     */
    record Never(NeverReason reason, String detail) implements AdmissionDecision {
        public Never {
            Objects.requireNonNull(reason, "reason");
            detail = Text.repaired(Objects.requireNonNull(detail, "detail"));
        }
    }

    /** Returns whether the claim is granted now. */
    default boolean admitted() {
        return this instanceof Admitted;
    }
}

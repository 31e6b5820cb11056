package io.csi4j.core.volume;

import java.time.Duration;
import java.util.Objects;

/** The condition under which the claims on a node that is down are released. */
public sealed interface FencingPolicy {
    /** Waits until the node answers, the host reports it fenced or gone, or an operator overrides. The default. */
    record WaitForConfirmation() implements FencingPolicy {}

    /**
     * A node that is down or disconnected for this time counts as fenced, also for claims of live allocations: the host promises that a
     * node without connection stops its workloads within that time.
     *
     * @param grace the time, above zero
     */
    record AfterGrace(Duration grace) implements FencingPolicy {
        /**
         * Checks the time.
         *
         * @throws IllegalArgumentException if it is zero or negative
         */
        public AfterGrace {
            Objects.requireNonNull(grace, "grace");
            if (grace.isZero() || grace.isNegative()) {
                throw new IllegalArgumentException("AfterGrace: grace is " + grace
                        + "; give the time within which a node that is cut off stops its workloads");
            }
        }
    }

    /**
     * The engine asks the host to fence the node, and continues the release after the host's report. A DOWN node is fenced as soon as it
     * has a claim, a DISCONNECTED node once a claim on it is to be released.
     */
    record OnFence() implements FencingPolicy {}

    /** Returns the default policy, which waits for a confirmation. */
    static FencingPolicy waitForConfirmation() {
        return FencingPolicies.WAIT;
    }

    /**
     * Returns a policy that waits for a time.
     *
     * @param grace the time, above zero
     * @throws IllegalArgumentException if it is zero or negative
     */
    static FencingPolicy afterGrace(Duration grace) {
        return new AfterGrace(grace);
    }

    /** Returns a policy that has the node fenced. */
    static FencingPolicy onFence() {
        return FencingPolicies.ON_FENCE;
    }
}

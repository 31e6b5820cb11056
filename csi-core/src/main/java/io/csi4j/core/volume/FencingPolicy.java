package io.csi4j.core.volume;

import java.time.Duration;
import java.util.Objects;

/** What a volume's claims wait for when their node is down (N2). */
public sealed interface FencingPolicy {
    /**
     * Nothing happens until the node answers, the host says that it is fenced or gone, or an operator
     * overrides. The default.
     */
    record WaitForConfirmation() implements FencingPolicy {}

    /**
     * A node that was down or disconnected for this long counts as fenced, for claims that are held on it too: the host
     * promises that a node stops its workloads within that time when it is cut off.
     *
     * @param grace how long, above zero
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
     * The host is asked to fence the node, and the release goes on once it did: a node that is DOWN as soon as a claim is
     * on it, one that is DISCONNECTED once a claim on it is to be released.
     */
    record OnFence() implements FencingPolicy {}

    /**
     * Wait until somebody knows.
     *
     * @return the default policy
     */
    static FencingPolicy waitForConfirmation() {
        return FencingPolicies.WAIT;
    }

    /**
     * Wait for a time.
     *
     * @param grace how long, above zero
     * @return the policy
     * @throws IllegalArgumentException if it is zero or negative
     */
    static FencingPolicy afterGrace(Duration grace) {
        return new AfterGrace(grace);
    }

    /**
     * Have the node fenced.
     *
     * @return the policy
     */
    static FencingPolicy onFence() {
        return FencingPolicies.ON_FENCE;
    }
}

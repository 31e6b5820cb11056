package io.csi4j.core.volume;

import java.time.Duration;
import java.util.Objects;

/** A rule that says when the engine may release claims on a node that is down. */
public sealed interface FencingPolicy {
    /**
     * The engine waits until the node answers, the host reports it fenced or gone, or an operator states that the node
     * no longer uses the volume. This is the default policy.
     */
    record WaitForConfirmation() implements FencingPolicy {}

    /**
     * A node that the leading engine has seen down, or disconnected, for the grace time counts as fenced. The engine
     * measures the time itself, and a new leader begins again; the clocks of the servers have no influence. Then even
     * claims of allocations that have not ended may be released. The host promises that a node without connection stops
     * its workloads within the grace time.
     *
     * @param grace the time, above zero
     */
    record AfterGrace(Duration grace) implements FencingPolicy {
        /**
         * Checks that the time is positive.
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
     * The engine asks the host to fence the node, and continues the release when the host has reported the node as
     * fenced. For a DOWN node the engine asks as soon as the node has a claim. For a DISCONNECTED node it asks only
     * when a claim on the node has to be released.
     */
    record OnFence() implements FencingPolicy {}

    /** Returns the default policy, which waits for a confirmation. */
    static FencingPolicy waitForConfirmation() {
        return FencingPolicies.WAIT;
    }

    /**
     * Returns a policy by which a node counts as fenced after a time without connection.
     *
     * @param grace the time, above zero
     * @throws IllegalArgumentException if it is zero or negative
     */
    static FencingPolicy afterGrace(Duration grace) {
        return new AfterGrace(grace);
    }

    /** Returns a policy by which the engine asks the host to fence the node. */
    static FencingPolicy onFence() {
        return FencingPolicies.ON_FENCE;
    }
}

package io.csi4j.testkit.fault;

import io.csi4j.core.call.Rpc;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A fault as data: which calls change, how many of them, and how. {@link FaultBuilder} and {@link FaultScript} create
 * rules.
 *
 * @param rpc the RPC whose calls change; empty: all RPCs
 * @param volume the volume id of the request, or the name in CreateVolume; empty: any
 * @param node the node id of the request; empty: any
 * @param skip the number of matching calls that pass unchanged before the rule acts
 * @param times the greatest number of calls that the rule changes; {@link #ALWAYS}: all of them
 * @param probability the probability for each matching call: greater than 0, at most 1
 * @param seed the seed of the random numbers; the same seed and the same calls give the same faults
 * @param delay the time before the rule acts
 * @param action the change
 */
public record FaultRule(
        Optional<Rpc> rpc,
        Optional<String> volume,
        Optional<String> node,
        long skip,
        long times,
        double probability,
        long seed,
        Duration delay,
        FaultAction action) {
    /** The value of {@code times} for a rule that changes calls without a limit. */
    public static final long ALWAYS = Long.MAX_VALUE;

    /**
     * Checks that each number is in its range.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public FaultRule {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(action, "action");
        require(skip >= 0, "skip is " + skip + "; it must not be negative");
        require(times > 0, "times is " + times + "; it must be greater than zero");
        require(
                probability > 0 && probability <= 1,
                "probability is " + probability + "; it must be greater than 0 and at most 1");
        require(!delay.isNegative(), "the delay is negative: " + delay);
        require(
                action.kind() != FaultAction.Kind.LINK_TARGET || rpc.equals(Optional.of(Rpc.NODE_PUBLISH_VOLUME)),
                "only NodePublishVolume has a target that a link can replace; make the rule for NodePublishVolume");
    }

    private static void require(boolean fine, String problem) {
        if (!fine) {
            throw new IllegalArgumentException(problem);
        }
    }

    /** Returns whether RPC, volume and node of a call match the rule. Does not consider counts and probability. */
    public boolean holdsFor(Rpc called, Optional<String> itsVolume, Optional<String> itsNode) {
        return (rpc.isEmpty() || rpc.get() == called)
                && (volume.isEmpty() || volume.equals(itsVolume))
                && (node.isEmpty() || node.equals(itsNode));
    }

    /** Returns the rule as a line of a script. */
    @Override
    public String toString() {
        StringBuilder line =
                new StringBuilder("on ").append(rpc.map(Rpc::csiName).orElse("any"));
        volume.ifPresent(id -> line.append(" volume ").append(FaultScript.quoted(id)));
        node.ifPresent(id -> line.append(" node ").append(FaultScript.quoted(id)));
        if (skip > 0) {
            line.append(" skip ").append(skip);
        }
        if (times != ALWAYS) {
            line.append(" times ").append(times);
        }
        if (probability < 1) {
            line.append(" probability ").append(probability).append(" seed ").append(seed);
        }
        if (!delay.isZero()) {
            line.append(" delay ").append(FaultScript.text(delay));
        }
        return action.kind() == FaultAction.Kind.CONTINUE
                ? line.toString()
                : line.append(' ').append(action).toString();
    }
}

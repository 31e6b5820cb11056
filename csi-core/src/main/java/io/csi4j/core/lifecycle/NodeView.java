package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.spi.NodeReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A node with the last report of its agent.
 *
 * @param node the node as the state has it
 * @param lastContact the time at which the agent last answered this server; empty if it has not answered yet, or cannot
 *     report
 * @param silentSince the time of the first question that the agent has not answered since then; empty if it answered the
 *     last one
 * @param contactProblem the reason why the last question has no answer, for operators; empty if it was answered
 * @param report the last report; empty if there is none
 */
public record NodeView(
        Node node,
        Optional<Instant> lastContact,
        Optional<Instant> silentSince,
        String contactProblem,
        Optional<NodeReport> report) {
    public NodeView {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(lastContact, "lastContact");
        Objects.requireNonNull(silentSince, "silentSince");
        Objects.requireNonNull(contactProblem, "contactProblem");
        Objects.requireNonNull(report, "report");
    }

    /**
     * Returns whether the host reports the node as READY, but its agent has not answered for longer than a limit.
     *
     * @param limit the longest silence
     * @param now the current time
     */
    public boolean isSilent(Duration limit, Instant now) {
        return node.status() == NodeStatus.READY
                && silentSince
                        .filter(since -> Duration.between(since, now).compareTo(limit) > 0)
                        .isPresent();
    }
}

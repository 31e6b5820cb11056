package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.spi.AgentConnection;
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
 * @param silentFor the elapsed time since the first question that the agent has not answered since then; empty if it
 *     answered the last one
 * @param contactProblem the reason why the last question has no answer, for operators; empty if it was answered
 * @param report the last report; empty if there is none
 * @param connection the connection that the agent has opened to this server; empty if none is known
 */
public record NodeView(
        Node node,
        Optional<Instant> lastContact,
        Optional<Duration> silentFor,
        String contactProblem,
        Optional<NodeReport> report,
        Optional<AgentConnection> connection) {
    public NodeView {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(lastContact, "lastContact");
        Objects.requireNonNull(silentFor, "silentFor");
        Objects.requireNonNull(contactProblem, "contactProblem");
        Objects.requireNonNull(report, "report");
        Objects.requireNonNull(connection, "connection");
    }

    /**
     * Returns whether the host reports the node as READY, but its agent has not answered for longer than a limit.
     *
     * @param limit the longest silence
     */
    public boolean isSilent(Duration limit) {
        return node.status() == NodeStatus.READY
                && silentFor.filter(silence -> silence.compareTo(limit) > 0).isPresent();
    }
}

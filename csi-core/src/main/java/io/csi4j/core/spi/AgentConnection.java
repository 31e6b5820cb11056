package io.csi4j.core.spi;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The connection of a node's agent to this server, which the agent opens.
 *
 * @param connected whether the agent is connected
 * @param since the time at which it connected, or lost its last connection; empty if it was never connected
 * @param refusal the reason why this server refused the last call for the node, with the identity that was offered and
 *     the one that is expected, for operators; empty if it did not
 */
public record AgentConnection(boolean connected, Optional<Instant> since, String refusal) {
    public AgentConnection {
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(refusal, "refusal");
    }
}

package io.csi4j.agent.spi;

import io.csi4j.client.Endpoint;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of an agent's last call to a server.
 *
 * @param endpoint the address of the server
 * @param state the result
 * @param since the time since which the calls have had this result; empty if the server was not called yet
 * @param problem the reason why the server cannot be reached or refuses the agent, for operators; otherwise empty
 */
public record ServerContact(Endpoint endpoint, State state, Optional<Instant> since, String problem) {
    public ServerContact {
        Objects.requireNonNull(endpoint, "endpoint");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(problem, "problem");
    }

    /** The results of a call. */
    public enum State {
        /** The agent has not called the server yet, because another server answers. */
        NOT_CALLED,
        /** The server has answered the last call. */
        CONNECTED,
        /** The last call was not answered. The agent tries the servers in turn. */
        UNREACHABLE,
        /** The server has answered that it does not serve this agent, for its identity or its version. */
        REFUSED
    }
}

package io.csi4j.core.lifecycle.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of a {@link HealthCheck}.
 *
 * @param leading whether this server leads
 * @param leader the leader, by the name that the host uses for it; empty if not known
 * @param index the index of this server's state; 0 if the state cannot be read
 * @param logLatency the time until the log answered a command; empty if the log did not answer
 * @param waitingClaims the number of waiting claims; 0 on a server that does not lead
 * @param releases the number of unfinished releases
 * @param waitingCalls the number of calls that wait for a permit
 * @param callsInFlight the number of calls in flight
 * @param problems all problems, blocking ones first
 * @param at the time of the check
 */
public record ServerHealth(
        boolean leading,
        Optional<String> leader,
        long index,
        Optional<Duration> logLatency,
        int waitingClaims,
        int releases,
        int waitingCalls,
        int callsInFlight,
        List<HealthProblem> problems,
        Instant at) {
    /** Copies the list of problems, so that later changes of the caller's list have no effect. */
    public ServerHealth {
        Objects.requireNonNull(leader, "leader");
        Objects.requireNonNull(logLatency, "logLatency");
        problems = List.copyOf(problems);
        Objects.requireNonNull(at, "at");
    }

    /**
     * Returns whether the server can do its work, that is, whether none of its problems is
     * {@linkplain HealthProblem.Kind#blocking() blocking}.
     */
    public boolean able() {
        return problems.stream().noneMatch(problem -> problem.kind().blocking());
    }
}

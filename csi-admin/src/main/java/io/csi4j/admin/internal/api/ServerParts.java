package io.csi4j.admin.internal.api;

import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.ObservableState;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The parts of a server that endpoints use beside the operations of the caller.
 *
 * @param state the state, to wait for its changes
 * @param leads whether this server leads
 * @param log the log, if the host has given it
 * @param health the check of the server's health
 * @param policies the policies of tokens, if the host has given them
 * @param acceptsTokens whether an access token can be used here, as far as the server knows
 * @param operations the operations that actions have started
 */
public record ServerParts(
        ObservableState state,
        BooleanSupplier leads,
        Optional<ReplicatedLog> log,
        HealthCheck health,
        Optional<AccessPolicies> policies,
        boolean acceptsTokens,
        Operations operations) {
    /** Fails with a {@link NotLeadingException} if this server does not lead, because only the leader knows the answer. */
    void needLeader() {
        if (!leads.getAsBoolean()) {
            throw new NotLeadingException();
        }
    }

    /** Returns the reason why nothing is recorded now: no server leads. Empty if one leads, or the host gave no log. */
    Optional<String> obstacle() {
        return log.isEmpty() || leads.getAsBoolean() || leader().isPresent()
                ? Optional.empty()
                : Optional.of(
                        "no server leads; a change that is not recorded yet waits for one, and so does the work on"
                                + " recorded ones (csi server health)");
    }

    /** Returns the server that leads, if it is known. */
    Optional<String> leader() {
        return log.map(ReplicatedLog::status).flatMap(LogStatus::leader);
    }
}

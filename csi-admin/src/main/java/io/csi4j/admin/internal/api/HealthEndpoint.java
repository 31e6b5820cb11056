package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import java.util.Locale;

/** The health of the server. */
public final class HealthEndpoint {
    /** A problem. */
    private static final Shape<HealthProblem> PROBLEM = Shape.<HealthProblem>of(
                    "HealthProblem", "Something that is wrong with the server or the cluster.")
            .text("kind", "The kind.", problem -> problem.kind().name().toLowerCase(Locale.ROOT))
            .flag(
                    "blocking",
                    "Whether the server cannot do its work because of it.",
                    problem -> problem.kind().blocking())
            .text("message", "The problem.", HealthProblem::message)
            .text("remedy", "The change that solves it.", HealthProblem::remedy)
            .build();

    /** The health, for callers who may see it all. */
    public static final Shape<ServerHealth> SHAPE = Shape.<ServerHealth>of(
                    "Health", "Whether a server can do its work.")
            .flag("able", "Whether it can: whether no problem is blocking.", ServerHealth::able)
            .flag("leading", "Whether this server leads.", ServerHealth::leading)
            .text("leader", "The server that leads, if it is known.", ServerHealth::leader)
            .optional()
            .number("index", "The index of this server's state; 0 if the state cannot be read.", ServerHealth::index)
            .number(
                    "logLatencyMillis",
                    "The time until the log answered a command; absent if it did not answer.",
                    health -> health.logLatency().map(java.time.Duration::toMillis))
            .optional()
            .number("waitingClaims", "The waiting claims; only the leader knows them.", ServerHealth::waitingClaims)
            .optional()
            .number("releases", "The releases that are not finished.", ServerHealth::releases)
            .number("waitingCalls", "The calls that wait for a permit.", ServerHealth::waitingCalls)
            .number("callsInFlight", "The calls in flight.", ServerHealth::callsInFlight)
            .time("at", "The time of the check.", ServerHealth::at)
            .objects("problems", "All problems, blocking ones first.", PROBLEM, ServerHealth::problems)
            .build();

    private HealthEndpoint() {}
}

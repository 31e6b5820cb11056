package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The reads of the server itself. */
public final class ServerEndpoints {
    /** The problems that name no volume, node or plugin. */
    private static final Set<HealthProblem.Kind> OF_SERVER = Set.of(
            HealthProblem.Kind.STATE_UNREADABLE,
            HealthProblem.Kind.LOG_FAILED,
            HealthProblem.Kind.LOG_SILENT,
            HealthProblem.Kind.NO_LEADER,
            HealthProblem.Kind.LOG_TROUBLE,
            HealthProblem.Kind.LOG_SLOW,
            HealthProblem.Kind.LEADERSHIP_UNSTEADY);

    private static final Shape<LogDetails.Server> PEER = Shape.<LogDetails.Server>of("LogPeer", "A server of the log.")
            .text("server", "Its name.", LogDetails.Server::name)
            .column()
            .number(
                    "appliedIndex",
                    "The index of the last entry in its state, as it last reported.",
                    peer -> peer.appliedIndex())
            .optional()
            .column()
            .seconds(
                    "silentFor",
                    "The time since its last report; absent if this server does not know it.",
                    peer -> peer.silentFor())
            .optional()
            .column()
            .text("version", "Its version of csi4j; absent if the log does not know it.", LogDetails.Server::version)
            .optional()
            .column()
            .build();

    private static final Shape<LogDetails.Snapshot> SNAPSHOT = Shape.<LogDetails.Snapshot>of(
                    "StateSnapshot", "A snapshot of the state.")
            .number("index", "The index of the last entry in it.", LogDetails.Snapshot::index)
            .number("bytes", "Its size.", LogDetails.Snapshot::bytes)
            .seconds("age", "The time since it was completed.", LogDetails.Snapshot::age)
            .optional()
            .build();

    private static final Shape<LogDetails.Trouble> TROUBLE = Shape.<LogDetails.Trouble>of(
                    "LogTrouble", "The reason why the storage of the log fails.")
            .text("message", "The failure.", LogDetails.Trouble::message)
            .text("remedy", "The change that solves it.", LogDetails.Trouble::remedy)
            .seconds("age", "The time since it began.", LogDetails.Trouble::age)
            .build();

    private static final Shape<LogStatus> LOG = Shape.<LogStatus>of(
                    "LogStatus", "The log of the servers, as this server sees it.")
            .text("self", "The name of this server.", LogStatus::self)
            .flag("leading", "Whether the engine of this server may act.", LogStatus::leading)
            .text("leader", "The server that leads, if it is known.", LogStatus::leader)
            .optional()
            .time("leaderSince", "The time at which it began to lead, or was first noticed.", LogStatus::leaderSince)
            .optional()
            .number("term", "The number of the leadership.", LogStatus::term)
            .number("lastIndex", "The index of the last entry in the log of this server.", LogStatus::lastIndex)
            .number(
                    "committedIndex",
                    "The index of the last entry that it knows to be committed.",
                    LogStatus::committedIndex)
            .number("appliedIndex", "The index of the last entry in its state.", LogStatus::appliedIndex)
            .number(
                    "snapshotIndex",
                    "The index of the last entry in the latest snapshot; 0 without one.",
                    LogStatus::snapshotIndex)
            .number(
                    "firstIndex",
                    "The index of the first entry that the log still has.",
                    status -> status.details().firstIndex())
            .optional()
            .texts("servers", "The names of all servers.", LogStatus::servers)
            .objects(
                    "peers",
                    "The servers with their progress; none if the log does not say it.",
                    PEER,
                    status -> status.details().servers())
            .maybe(
                    "snapshot",
                    "The latest snapshot.",
                    SNAPSHOT,
                    status -> status.details().snapshot())
            .seconds(
                    "leaseAge",
                    "The time since this server last renewed its lease.",
                    status -> status.details().leaseAge())
            .optional()
            .maybe(
                    "trouble",
                    "The reason why the storage fails now.",
                    TROUBLE,
                    status -> status.details().trouble())
            .number(
                    "failures",
                    "The failures of the storage since this server has started.",
                    status -> status.details().failures())
            .number(
                    "waitingCommands",
                    "This server's commands that wait for their outcome.",
                    status -> status.details().waitingCommands())
            .number(
                    "waitingBytes",
                    "Their size in bytes.",
                    status -> status.details().waitingBytes())
            .build();

    private ServerEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                Endpoint.get(
                                "server health",
                                "/v1/health",
                                "Show whether this server can do its work, and its problems")
                        .description("Always 200; /health has 503 for load balancers. Does not wait for changes.")
                        .atLeader("the problems of nodes, of calls and of waiting claims", "waitingClaims")
                        .everywhere()
                        .needs("none; problems that name volumes, nodes or plugins need MANAGEMENT")
                        .one(
                                HealthEndpoint.SHAPE,
                                call -> Futures.compose(
                                        manages(call),
                                        manages -> call.server()
                                                .health()
                                                .run()
                                                .thenApply(health -> Optional.of(manages ? health : outside(health))),
                                        CompletableFuture::failedFuture)),
                Endpoint.get("server log", "/v1/log", "Show the log and the servers that share it")
                        .description(
                                "Does not wait for changes. Answers 501 if the host has not given the log to this API.")
                        .atLeader(
                                "the last reports of the other servers",
                                answer -> answer instanceof LogStatus status && lacksReports(status))
                        .needs("MANAGEMENT")
                        .one(
                                LOG,
                                call -> Futures.compose(
                                        nodes(call),
                                        allowed -> CompletableFuture.completedFuture(Optional.of(status(call))),
                                        CompletableFuture::failedFuture)));
    }

    /** Returns whether this server does not know how another server of the log is. */
    private static boolean lacksReports(LogStatus status) {
        return status.details().servers().stream()
                .anyMatch(server -> !server.name().equals(status.self())
                        && server.silentFor().isEmpty());
    }

    private static LogStatus status(Call call) {
        return call.server()
                .log()
                .map(ReplicatedLog::status)
                .orElseThrow(() -> new FailureException(Failures.Failure.of(
                        "no-log",
                        501,
                        "the host of this server has not given its log to this API; its program gives it with"
                                + " AdminServer.Builder.log")));
    }

    /** Reads something that needs MANAGEMENT. */
    private static CompletableFuture<?> nodes(Call call) {
        return call.operations().operator().nodes(NodeQuery.builder().limit(1).build());
    }

    private static CompletableFuture<Boolean> manages(Call call) {
        return Futures.recovered(
                Futures.start(() -> nodes(call).thenApply(allowed -> true)),
                // If the state cannot be read, the health says so to all callers.
                failure -> Optional.of(false));
    }

    /** Returns the health without problems that name objects. */
    private static ServerHealth outside(ServerHealth health) {
        return new ServerHealth(
                health.leading(),
                health.leader(),
                health.index(),
                health.logLatency(),
                health.waitingClaims(),
                health.releases(),
                health.waitingCalls(),
                health.callsInFlight(),
                health.problems().stream()
                        .filter(problem -> OF_SERVER.contains(problem.kind()))
                        .toList(),
                health.at());
    }
}

package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.spi.ReplicatedLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The actions on the state and the log of this server. */
public final class ServerActions {
    private static final String MANAGEMENT = "MANAGEMENT";

    /** A snapshot, and the server that wrote it. */
    private record Written(String server, long index) {}

    private static final Shape<Written> SNAPSHOT = Shape.<Written>of(
                    "WrittenSnapshot", "The snapshot that was written.")
            .text("server", "The server that wrote it, to its own storage.", Written::server)
            .number("index", "The index of the last entry in it; 0 if nothing was applied yet.", Written::index)
            .build();

    private ServerActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(snapshot(), restored());
    }

    private static Endpoint snapshot() {
        return Endpoint.post("log snapshot", "/v1/log/snapshot", "Write a snapshot of the state")
                .description("This server writes its state to its own storage, so that a copy of the storage begins"
                        + " with it. The operation ends when the snapshot is durable.")
                .needs(MANAGEMENT)
                .continues("A snapshot that was begun is written.")
                .action(
                        SNAPSHOT,
                        call -> Steps.then(
                                call.operations()
                                        .operator()
                                        .nodes(NodeQuery.builder().limit(1).build()), // It needs MANAGEMENT, too.
                                allowed -> call.server()
                                        .log()
                                        .map(ServerActions::written)
                                        .orElseThrow(() -> new FailureException(Failure.of(
                                                "no-log",
                                                501,
                                                "the host of this server has not given its log to this API; its"
                                                        + " program gives it with AdminServer.Builder.log")))));
    }

    private static CompletableFuture<Written> written(ReplicatedLog log) {
        return Futures.map(log.takeSnapshot(), index -> new Written(log.status().self(), index));
    }

    private static Endpoint restored() {
        return Endpoint.post("state restored", "/v1/state/restored", "Report that the state was restored from a backup")
                .description("Every node then has to say what it has mounted. Until a node has answered, no volume is"
                        + " detached from it, and none is newly claimed. Nodes that were fenced or gone become DOWN:"
                        + " report them again.")
                .with(ActionFields.REASON)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations().cluster().stateRestored(ActionFields.reason(call.values())));
    }
}

package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.spi.AccessDeniedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/** The operations that actions have started at this server: list, status, events and cancellation. */
public final class OperationEndpoints {
    private static final String NEEDS = "none for own operations; MANAGEMENT for those of other callers";
    private static final Parameter OPERATION = Parameter.path("operation", "The id of the operation.");

    private OperationEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), watch(), cancel());
    }

    private static Endpoint list() {
        return Endpoint.get("operation list", "/v1/operations", "List operations, the latest first")
                .description("The operations that run at this server, and the latest that have ended. Without"
                        + " MANAGEMENT, the list has the caller's own operations.")
                .with(
                        Parameter.query("state", Operation.State.class, "Only operations in this state."),
                        Parameter.query("command", Parameter.Type.TEXT, "Only operations of this command."))
                .needs(NEEDS)
                .pages(OperationView.SUMMARY, (call, after, limit) -> {
                    Values values = call.values();
                    Optional<Operation.State> state = values.maybeChoice("state", Operation.State.class);
                    Optional<String> command = values.maybe("command", text -> text);
                    Predicate<Operation> filter = operation -> command.map(operation.command::equals)
                                    .orElse(true)
                            && state.map(wanted -> wanted == operation.state()).orElse(true);
                    long before = after.map(OperationEndpoints::number).orElse(Long.MAX_VALUE);
                    return manages(call)
                            .thenApply(all -> page(
                                    call.server()
                                            .operations()
                                            .kept()
                                            .list(
                                                    before,
                                                    limit + 1,
                                                    filter.and(operation ->
                                                            all || operation.caller.equals(call.caller()))),
                                    limit));
                });
    }

    private static long number(String after) {
        try {
            return Long.parseLong(after);
        } catch (NumberFormatException e) {
            throw new BadRequestException("after", "is not the next of a page", "use the next of the page before");
        }
    }

    private static Page<OperationView> page(List<Operation> found, int limit) {
        List<Operation> shown = found.subList(0, Math.min(limit, found.size()));
        Optional<String> next = found.size() > limit
                ? Optional.of(Long.toString(shown.get(shown.size() - 1).number))
                : Optional.empty();
        return new Page<>(shown.stream().map(OperationView::summary).toList(), next);
    }

    private static Endpoint status() {
        return Endpoint.get("operation status", "/v1/operations/{operation}", "Show an operation")
                .description("The result of an operation that is DONE, the problem of one that has FAILED, and how far"
                        + " a running one is.")
                .with(
                        OPERATION,
                        Parameter.query(
                                "wait",
                                Parameter.Type.SECONDS,
                                "The longest wait for the end of the operation, at most 600; 0 if it is not set."))
                .needs(NEEDS)
                .one(OperationView.SHAPE, call -> {
                    Duration wait = Operations.wait(call.values(), Duration.ZERO);
                    return shown(
                            call,
                            operation -> wait.isZero()
                                    ? CompletableFuture.completedFuture(operation)
                                    : call.server().operations().waited(operation, wait));
                });
    }

    private static Endpoint watch() {
        return Endpoint.get("operation watch", "/v1/operations/{operation}/events", "Follow an operation to its end")
                .description("The operation at once, and after each change of it or of its volume; the stream ends"
                        + " with the operation.")
                .with(OPERATION)
                .needs(NEEDS)
                .events(
                        OperationView.SHAPE,
                        call -> Futures.map(found(call), operation -> new OperationEvents(operation, call)));
    }

    private static Endpoint cancel() {
        return Endpoint.post("operation cancel", "/v1/operations/{operation}/cancel", "Cancel an operation")
                .description("Ends the wait of the operation for its result. Work that the engine has stored continues;"
                        + " the answer says it in \"continues\". An operation that has ended stays as it is.")
                .with(OPERATION)
                .needs(NEEDS)
                .one(
                        OperationView.SHAPE,
                        call -> shown(call, operation -> {
                            operation.cancel();
                            return call.server().operations().waited(operation, Duration.ofSeconds(2));
                        }));
    }

    private static CompletableFuture<Optional<OperationView>> shown(
            Call call, Function<Operation, CompletableFuture<Operation>> before) {
        return Futures.compose(
                found(call),
                operation -> Futures.compose(
                        before.apply(operation),
                        ready -> OperationView.of(ready, call).thenApply(Optional::of),
                        CompletableFuture::failedFuture),
                CompletableFuture::failedFuture);
    }

    /** Finds the operation of a request, if the caller may see it. */
    private static CompletableFuture<Operation> found(Call call) {
        Operation operation = call.server()
                .operations()
                .kept()
                .find(call.values().text("operation"))
                .orElseThrow(OperationEndpoints::absent);
        if (operation.caller.equals(call.caller())) {
            return CompletableFuture.completedFuture(operation);
        }
        return Futures.map(manages(call), all -> {
            if (!all) {
                throw absent();
            }
            return operation;
        });
    }

    private static FailureException absent() {
        return new FailureException(Failure.of(
                "not-found",
                404,
                "this server has no such operation, or the caller may not see it; operations are at the server that"
                        + " started them, until it restarts; repeat the action, which finds what was done"));
    }

    /** Returns whether the caller has MANAGEMENT. */
    private static CompletableFuture<Boolean> manages(Call call) {
        return Futures.recovered(
                Futures.map(
                        call.operations()
                                .operator()
                                .nodes(NodeQuery.builder().limit(1).build()),
                        page -> true),
                failure -> failure instanceof AccessDeniedException ? Optional.of(false) : Optional.empty());
    }
}

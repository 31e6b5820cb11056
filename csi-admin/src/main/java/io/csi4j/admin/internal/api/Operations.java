package io.csi4j.admin.internal.api;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.api.Operation.End;
import io.csi4j.admin.internal.api.Operation.State;
import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.http.HttpRequest;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Starts actions as operations of this server, and answers with their results or with the operations. No thread waits for
 * an operation. Thread-safe.
 */
public final class Operations {
    static final Parameter QUERY_WAIT = Parameter.query(
            "wait",
            Parameter.Type.SECONDS,
            "The longest wait for the result, at most 600; 2 if it is not set. Then the answer is the operation.");

    /** The header with the id of the operation that made an answer. */
    static final String ID = "csi-operation";

    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
    private static final int KEY_CHARS = 255;

    private final Environment environment;
    private final Executor requests;
    private final KeptOperations kept;
    private final RequestDigest digests;

    /** @param requests the threads on which a waiting request continues */
    public Operations(Environment environment, Executor requests) {
        this(environment, requests, KeptOperations.Limits.DEFAULT);
    }

    Operations(Environment environment, Executor requests, KeptOperations.Limits limits) {
        this.environment = environment;
        this.requests = requests;
        this.kept = new KeptOperations(limits, environment.random().nextLong());
        this.digests = new RequestDigest(environment.random());
    }

    /** Runs something later, in a thread of requests. */
    Cancellable later(Duration pause, Runnable task) {
        return environment.timer().schedule(pause, () -> requests.execute(task));
    }

    KeptOperations kept() {
        return kept;
    }

    /** Returns the wait that a request asks for. */
    static Duration wait(Values values, Duration usual) {
        Duration wait = values.duration("wait").orElse(usual);
        if (wait.compareTo(LONGEST_WAIT) > 0) {
            throw new BadRequestException("wait", "is longer than " + LONGEST_WAIT.toSeconds() + " s", "use less");
        }
        return wait;
    }

    /** Starts an action, or joins the operation that was started with the same key. */
    <T extends @Nullable Object> CompletableFuture<HttpAnswer> start(
            Endpoint endpoint, Endpoint.Action<T> action, Call call, HttpRequest request) {
        Duration wait = wait(call.values(), WAIT);
        Optional<String> key = request.head().header("idempotency-key").map(Operations::checked);
        String digest = key.isPresent() ? digests.of(request) : "";
        Optional<VolumeKey> volume = volume(call.values());
        String object = object(endpoint, call.values());
        boolean dryRun = call.values().flag("dryRun");
        KeptOperations.Begun begun = kept.begin(
                call.caller(),
                key,
                digest,
                (number, id) -> new Operation(
                        number, id, endpoint, action, call.caller(), object, volume, dryRun, digest, now()));
        Operation operation = begun.operation();
        if (begun.joined()) {
            return answer(operation, wait, call).thenApply(answer -> answer.with("idempotency-replayed", "true"));
        }
        CompletableFuture<T> work = Futures.start(() -> action.start().apply(call));
        Throwable failed = failure(work);
        if (failed instanceof BadRequestException || failed instanceof NotLeadingException) {
            // Nothing was begun, so there is nothing to look at later.
            kept.discard(operation, end(action, null, failed));
            throw (CsiException) failed;
        }
        operation.works(work);
        var unused = work.whenComplete((value, failure) -> kept.ended(operation, end(action, value, failure)));
        return answer(operation, wait, call);
    }

    private static String checked(String key) {
        if (key.isBlank() || key.length() > KEY_CHARS) {
            throw new BadRequestException(
                    "Idempotency-Key",
                    key.isBlank() ? "is empty" : "is longer than " + KEY_CHARS + " characters",
                    "use a random text, for example a UUID");
        }
        return key;
    }

    /** Returns the failure of a future; null if it has not failed. */
    private static @Nullable Throwable failure(CompletableFuture<?> future) {
        return future.isCompletedExceptionally()
                ? Futures.unwrap(Objects.requireNonNull(
                        future.<Throwable>handle((value, failure) -> failure).join()))
                : null;
    }

    private Instant now() {
        return environment.clock().instant();
    }

    private static Optional<VolumeKey> volume(Values values) {
        return values.has("namespace") && values.has("volume")
                ? Optional.of(
                        new VolumeKey(values.parsed("namespace", Namespace::of), values.parsed("volume", VolumeId::of)))
                : Optional.empty();
    }

    /** Returns the object of an action, as its path has it. */
    private static String object(Endpoint endpoint, Values values) {
        List<String> parts = endpoint.parameters().stream()
                .filter(parameter -> parameter.in() == Parameter.In.PATH)
                .map(parameter -> values.text(parameter.name()))
                .toList();
        return String.join("/", parts);
    }

    @SuppressWarnings("NullAway") // A future without failure has its value, which may be null where T allows it.
    private <T extends @Nullable Object> End end(
            Endpoint.Action<T> action, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            try {
                Shape<T> shape = action.shape();
                return new End(
                        State.DONE, now(), Optional.of(shape == null ? "{}" : shape.text(value)), Optional.empty());
            } catch (RuntimeException e) {
                return new End(State.FAILED, now(), Optional.empty(), Optional.of(Failures.of(e)));
            }
        }
        Throwable cause = Futures.unwrap(failure);
        State state = cause instanceof CancellationException ? State.CANCELLED : State.FAILED;
        return new End(state, now(), Optional.empty(), Optional.of(Failures.of(cause)));
    }

    /** Waits for the end of an operation, and answers with its result, or after the wait with the operation. */
    private CompletableFuture<HttpAnswer> answer(Operation operation, Duration wait, Call call) {
        CompletableFuture<End> ended = operation.ended();
        if (ended.isDone() || wait.isZero()) {
            return answer(operation, call);
        }
        CompletableFuture<Operation> waited = waited(operation, wait);
        return Futures.compose(waited, over -> answer(operation, call), CompletableFuture::failedFuture);
    }

    /** Completes when an operation has ended, or after the wait. */
    CompletableFuture<Operation> waited(Operation operation, Duration wait) {
        CompletableFuture<Operation> result = new CompletableFuture<>();
        Cancellable limit =
                environment.timer().schedule(wait, () -> requests.execute(() -> result.complete(operation)));
        CompletableFuture<Void> wake = operation.ended().thenRunAsync(() -> result.complete(operation), requests);
        var unused = result.whenComplete((done, failure) -> {
            limit.cancel();
            wake.cancel(false);
        });
        return result;
    }

    private CompletableFuture<HttpAnswer> answer(Operation operation, Call call) {
        Optional<End> end = operation.end();
        if (end.isEmpty()) {
            return OperationView.of(operation, call)
                    .thenApply(view -> Api.json(202, OperationView.SHAPE, view)
                            .with("location", "/v1/operations/" + operation.id)
                            .with(ID, operation.id));
        }
        Optional<Failure> problem = end.get().problem();
        HttpAnswer answer = problem.isPresent()
                ? Failures.answer(
                        problem.get().status() == 503
                                ? problem.get().withLeader(call.server().leader())
                                : problem.get())
                : HttpAnswer.of(200, "application/json", end.get().result().orElse("{}") + "\n");
        return CompletableFuture.completedFuture(answer.with(ID, operation.id));
    }

    /** Adds the answers of an action to its description. */
    static void describe(OpenApi document, JsonObject responses, JsonElement result) {
        responses.add("200", OpenApi.response("The result.", "application/json", result));
        responses.add(
                "202",
                OpenApi.response(
                        "The operation, which continues; the header Location has its address.",
                        "application/json",
                        document.reference(OperationView.SHAPE)));
    }
}

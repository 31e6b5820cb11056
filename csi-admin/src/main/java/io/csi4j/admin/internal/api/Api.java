package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.http.HttpRequest;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/** Answers the requests of the API: finds the endpoint, reads the parameters, waits if asked to, and writes the answer. */
public final class Api {
    private static final System.Logger LOGGER = System.getLogger(Api.class.getName());

    /** The header with the index of the state that an answer shows. */
    public static final String INDEX = "csi-index";

    /** The header of an answer that lacks what only the leader knows: the reason, for people. */
    public static final String INCOMPLETE = "csi-incomplete";

    /** The header of a list with a sentence for people about what the list does not have. */
    public static final String NOTE = "csi-note";

    private static final String JSON = "application/json";
    private static final int LIMIT = 1000;
    private static final int DEFAULT_LIMIT = 100;
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    private static final Parameter QUERY_INDEX = Parameter.query(
            "index",
            Parameter.Type.NUMBER,
            "Waits until something newer than this index is there: the Csi-Index of the last answer.");
    private static final Parameter QUERY_WAIT = Parameter.query(
            "wait",
            Parameter.Type.SECONDS,
            "The longest wait with an index, at most 600; 60 if it is not set. Then the answer is the present state.");
    private static final Parameter QUERY_AFTER =
            Parameter.query("after", Parameter.Type.TEXT, "Where the page begins: the next of the page before.");
    private static final Parameter QUERY_LIMIT = Parameter.query(
            "limit",
            Parameter.Type.NUMBER,
            "The largest number of items of the page, at most 1000; 100 if it is not set.");

    private final Routes routes;
    private final ObservableState state;
    private final ServerParts server;
    private final BlockingQuery.Shared queries;

    /**
     * @param requests the threads on which a waiting request continues
     */
    public Api(List<Endpoint> endpoints, ServerParts server, Timer timer, Executor requests) {
        this.routes = new Routes(endpoints);
        this.server = server;
        this.state = server.state();
        this.queries = new BlockingQuery.Shared(state, timer, requests, this::failure);
    }

    /** Returns all parameters of an endpoint, with those that follow from the kind of its answer. */
    static List<Parameter> parameters(Endpoint endpoint) {
        List<Parameter> all = new ArrayList<>(endpoint.parameters());
        if (endpoint.result() instanceof Endpoint.Pages<?>) {
            all.add(QUERY_AFTER);
            all.add(QUERY_LIMIT);
        }
        if (endpoint.result() instanceof Endpoint.Action<?>) {
            all.add(Operations.QUERY_WAIT);
        }
        if (endpoint.scope() != null) {
            all.add(QUERY_INDEX);
            all.add(QUERY_WAIT);
        }
        return all;
    }

    /** Returns whether a path belongs to the API. */
    public static boolean has(List<String> path) {
        return !path.isEmpty() && path.get(0).equals("v1");
    }

    /**
     * Answers a request.
     *
     * @param caller the operations on behalf of the caller
     * @param name the name of the caller
     */
    public CompletableFuture<HttpAnswer> answer(HttpRequest request, CallerOperations caller, String name) {
        Map<String, Endpoint> found = routes.find(request.head().path());
        Endpoint endpoint = found.get(request.head().method());
        if (endpoint == null) {
            return CompletableFuture.completedFuture(
                    found.isEmpty()
                            ? Failures.answer(Failures.Failure.of(
                                    "no-such-address", 404, "there is nothing at this address; see /v1/openapi.json"))
                            : Failures.answer(Failures.Failure.of(
                                            "method-not-allowed",
                                            405,
                                            request.head().method() + " is not possible here; use "
                                                    + Routes.allowed(found)))
                                    .with("allow", Routes.allowed(found)));
        }
        try {
            Values values = ValueReader.read(
                    parameters(endpoint),
                    Routes.parameters(endpoint, request.head().path()),
                    request);
            Call call = new Call(caller, name, values, server);
            // A client that goes ends its read, but no operation that it has started.
            return endpoint.scope() != null && values.number("index").isPresent()
                    ? waiting(endpoint, endpoint.scope().apply(call), call)
                    : Futures.recovered(answer(endpoint, call, request), failure -> Optional.of(failure(failure)));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(failure(e));
        }
    }

    private HttpAnswer failure(Throwable cause) {
        Failures.Failure failure = Failures.of(Futures.unwrap(cause));
        return Failures.answer(failure.status() == 503 ? failure.withLeader(server.leader()) : failure);
    }

    private CompletableFuture<HttpAnswer> waiting(Endpoint endpoint, List<StateScope> parts, Call call) {
        Duration wait = call.values().duration("wait").orElse(WAIT);
        if (wait.compareTo(LONGEST_WAIT) > 0) {
            throw new BadRequestException("wait", "is longer than " + LONGEST_WAIT.toSeconds() + " s", "use less");
        }
        return new BlockingQuery(queries, () -> read(endpoint, call))
                .start(parts, call.values().number("index").orElseThrow(), wait, () -> probe(endpoint, call));
    }

    /** Reads once what the caller asks for; returns the parts of the state that the answer shows besides. */
    private static CompletableFuture<List<StateScope>> probe(Endpoint endpoint, Call call) {
        if (endpoint.result() instanceof Endpoint.Pages<?> pages) {
            return pages.read().read(call, Optional.empty(), 1).thenApply(page -> List.of());
        } else if (endpoint.result() instanceof Endpoint.One<?> one) {
            return probe(one, call);
        }
        throw new IllegalStateException(endpoint.path() + " cannot wait");
    }

    private static <T> CompletableFuture<List<StateScope>> probe(Endpoint.One<T> one, Call call) {
        return one.read().apply(call).thenApply(found -> found.map(one.parts()).orElse(List.of()));
    }

    private CompletableFuture<HttpAnswer> answer(Endpoint endpoint, Call call, HttpRequest request) {
        if (endpoint.result() instanceof Endpoint.Action<?> action) {
            long index = index();
            return indexed(server.operations().start(endpoint, action, call, request), index);
        }
        return read(endpoint, call);
    }

    private CompletableFuture<HttpAnswer> read(Endpoint endpoint, Call call) {
        long index = index();
        Optional<Endpoint.AtLeader> missing = Optional.ofNullable(endpoint.atLeader())
                .filter(part -> !call.server().leads().getAsBoolean());
        if (endpoint.result() instanceof Endpoint.One<?> one) {
            return indexed(one(endpoint, one, call, missing), index);
        } else if (endpoint.result() instanceof Endpoint.Pages<?> pages) {
            CompletableFuture<HttpAnswer> page = indexed(pages(pages, call, index, missing), index);
            return Futures.map(page, made -> noted(pages, call, made));
        } else if (endpoint.result() instanceof Endpoint.Events<?> events) {
            return indexed(events(events, call), index);
        }
        throw new IllegalStateException(endpoint.path() + " does not read");
    }

    /** Returns the index of the state; 0 if it cannot be read, because the health of the server says so, and needs no state. */
    private long index() {
        try {
            return state.snapshot().index();
        } catch (RuntimeException e) {
            LOGGER.log(
                    System.Logger.Level.DEBUG,
                    "The state cannot be read; the operation itself fails if it needs the state",
                    e);
            return 0;
        }
    }

    private static CompletableFuture<HttpAnswer> indexed(CompletableFuture<HttpAnswer> answer, long index) {
        return Futures.map(answer, made -> made.with(INDEX, Long.toString(index)));
    }

    /** Adds what a list does not have, as a header: ASCII in one line. */
    private static HttpAnswer noted(Endpoint.Pages<?> pages, Call call, HttpAnswer answer) {
        return answer.status() == 200
                ? pages.note()
                        .apply(call)
                        .map(text -> answer.with(NOTE, text.replaceAll("[^\\x20-\\x7e]", "?")))
                        .orElse(answer)
                : answer;
    }

    /** Returns the reason of an incomplete answer as a header: ASCII in one line. */
    private static String incomplete(Endpoint.AtLeader missing, Call call) {
        String where = call.server()
                .leader()
                .map(leader -> "at " + leader + ", which leads")
                .orElse("where a server leads, and this one knows none that does");
        return (missing.what() + " are known only " + where).replaceAll("[^\\x20-\\x7e]", "?");
    }

    private static <T> CompletableFuture<HttpAnswer> one(
            Endpoint endpoint, Endpoint.One<T> one, Call call, Optional<Endpoint.AtLeader> missing) {
        // A client that goes ends the read, for example a search that takes minutes.
        return Futures.map(
                one.read().apply(call),
                found -> found.map(value -> missing.filter(part -> part.lacks().test(value))
                                .map(part -> json(200, one.shape().without(part.fields()), value)
                                        .with(INCOMPLETE, incomplete(part, call)))
                                .orElseGet(() -> json(200, one.shape(), value)))
                        .orElseGet(() -> Failures.answer(Failures.Failure.of(
                                "not-found",
                                404,
                                "there is no " + named(endpoint, call) + ", or the caller may not see it"))));
    }

    /** Returns the object of a request, for example "volume default/db". */
    private static String named(Endpoint endpoint, Call call) {
        return endpoint.command().split(" ", 2)[0] + " "
                + endpoint.parameters().stream()
                        .filter(parameter -> parameter.in() == Parameter.In.PATH)
                        .map(parameter -> call.values().text(parameter.name()))
                        .collect(Collectors.joining("/"));
    }

    /** Returns an answer with a value. */
    static <T> HttpAnswer json(int status, Shape<T> shape, T value) {
        return HttpAnswer.of(status, JSON, shape.text(value) + "\n");
    }

    private static <T> CompletableFuture<HttpAnswer> pages(
            Endpoint.Pages<T> pages, Call call, long index, Optional<Endpoint.AtLeader> missing) {
        long wanted = call.values().number("limit").orElse(DEFAULT_LIMIT);
        if (wanted < 1 || wanted > LIMIT) {
            throw new BadRequestException("limit", "is " + wanted, "use 1 to " + LIMIT);
        }
        int limit = (int) wanted;
        Optional<String> after = call.values().maybe("after", PageToken::parse);
        ListBody.Reader<T> reader = (from, count) -> pages.read().read(call, from, count);
        Shape<T> shape =
                missing.map(part -> pages.shape().without(part.fields())).orElse(pages.shape());
        return reader.read(after, Math.min(limit, ListBody.PART))
                .thenApply(first -> HttpAnswer.of(
                        200,
                        JSON,
                        new ListBody<>(
                                shape,
                                index,
                                PageToken.of(first),
                                limit,
                                (from, count) -> reader.read(from.map(PageToken::parse), count)
                                        .thenApply(PageToken::of))))
                .thenApply(answer -> missing.map(part -> answer.with(INCOMPLETE, incomplete(part, call)))
                        .orElse(answer));
    }

    private static <T> CompletableFuture<HttpAnswer> events(Endpoint.Events<T> events, Call call) {
        return events.open()
                .apply(call)
                .thenApply(source -> HttpAnswer.of(200, "text/event-stream", new EventBody<>(events.shape(), source)));
    }
}

package io.csi4j.examples.own;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.node.transport.TransportCodec;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * The RPC of this host: one POST for each request, with the bytes of a {@link TransportCodec}. Status 200 has the answer, 500 the failure. A real host
 * adds TLS, and checks the identity of each caller.
 */
final class HttpRpc {
    private static final int OK = 200;
    private static final int FAILED = 500;

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    /** Sends a request, once. The future fails at the deadline at the latest. */
    CompletableFuture<byte[]> call(URI uri, byte[] request, Duration deadline) {
        HttpRequest post = HttpRequest.newBuilder(uri)
                .timeout(deadline)
                .POST(HttpRequest.BodyPublishers.ofByteArray(request))
                .build();
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(post, HttpResponse.BodyHandlers.ofByteArray());
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        var unused = sent.whenComplete((response, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(lost(uri, failure));
            } else if (response.statusCode() == OK) {
                answer.complete(response.body());
            } else {
                answer.completeExceptionally(failure(uri, response));
            }
        });
        // The caller cancels the request by cancelling the answer.
        var unusedEnd = answer.whenComplete((bytes, failure) -> sent.cancel(true));
        return answer;
    }

    private static Throwable failure(URI uri, HttpResponse<byte[]> response) {
        try {
            return response.statusCode() == FAILED
                    ? TransportCodec.FAILURE.decode(response.body())
                    : new CsiException(uri + " answered with status " + response.statusCode());
        } catch (CsiException unreadable) {
            return unreadable;
        }
    }

    // DOC
    /** A request that was certainly not sent is UNAVAILABLE; after all other failures its outcome is unknown. */
    private static Throwable lost(URI uri, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                ? unavailable(uri + " cannot be reached")
                : new CsiException("no answer from " + uri + "; whether the request took effect is not known", cause);
    }

    static CsiCallException unavailable(String reason) {
        return new CsiCallException(
                Rpc.NODE_GET_INFO,
                "of any name",
                null,
                StatusCode.UNAVAILABLE,
                CallOutcome.OUTCOME_UNKNOWN,
                reason,
                null);
    }
    // DOC

    /** A request of a client. */
    @SuppressWarnings("ArrayRecordComponent") // Lives for one call, and is never compared.
    record Request(URI uri, byte[] body) {
        /** Returns the value of a parameter in the query. */
        String value(String name) {
            for (String parameter : String.valueOf(uri.getQuery()).split("&", -1)) {
                if (parameter.startsWith(name + "=")) {
                    return parameter.substring(name.length() + 1);
                }
            }
            throw new IllegalArgumentException(name + " is missing in " + uri);
        }
    }

    /** Serves a path. The handler must not block. */
    static void serve(HttpServer server, String path, Function<Request, CompletableFuture<byte[]>> handler) {
        server.createContext(path, exchange -> {
            CompletableFuture<byte[]> answer;
            try (InputStream body = exchange.getRequestBody()) {
                byte[] request = body.readNBytes(TransportCodec.MAX_BYTES + 1);
                answer = handler.apply(new Request(exchange.getRequestURI(), request));
            } catch (RuntimeException e) {
                answer = CompletableFuture.failedFuture(e);
            }
            var unused = answer.whenComplete((bytes, failure) -> reply(
                    exchange,
                    failure == null ? OK : FAILED,
                    failure == null ? bytes : TransportCodec.FAILURE.encode(failure)));
        });
    }

    private static void reply(HttpExchange exchange, int status, byte[] bytes) {
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (IOException gone) {
            System.err.println("the caller of " + exchange.getRequestURI() + " has gone: " + gone);
        }
    }
}

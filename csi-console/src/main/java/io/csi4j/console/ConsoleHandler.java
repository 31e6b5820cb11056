package io.csi4j.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.csi4j.core.call.CsiException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Serves all requests: checks whether the sender may read the console's pages, sets the headers of the answer, and
 * converts failures to pages.
 */
final class ConsoleHandler implements HttpHandler {
    private static final System.Logger LOGGER = System.getLogger(Console.class.getName());
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final Gate gate;
    private final Router router;
    private final EventStreams streams;
    private final ClientThreads threads;

    ConsoleHandler(Gate gate, Router router, EventStreams streams, ClientThreads threads) {
        this.gate = gate;
        this.router = router;
        this.streams = streams;
        this.threads = threads;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        threads.arrived();
        try {
            serve(exchange);
        } finally {
            // The server reads the rest of the request before it uses the connection again.
            threads.run(exchange::close);
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        headers(exchange.getResponseHeaders());
        String method = exchange.getRequestMethod();
        boolean head = method.equals("HEAD");
        Duration wait = gate.mustWait(exchange);
        if (!head && !method.equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            send(exchange, Response.text(405, "The console only reads: use GET.\n"), false);
        } else if (!wait.isZero()) {
            long seconds = wait.toSeconds() + 1;
            exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
            send(
                    exchange,
                    Response.text(
                            429,
                            "Too many wrong tokens came from your address; try again in " + seconds + " seconds.\n"),
                    head);
        } else if (!gate.allows(exchange)) {
            send(exchange, refusal(exchange), head);
        } else if (!head && "/events".equals(exchange.getRequestURI().getPath())) {
            if (!streams.serve(exchange)) {
                exchange.getResponseHeaders().set("Retry-After", "30");
                send(exchange, Response.text(503, "Too many pages are open; close one.\n"), false);
            }
        } else {
            send(exchange, answer(() -> router.answer(new Request(exchange.getRequestURI()))), head);
        }
    }

    private Response refusal(HttpExchange exchange) {
        if (!gate.needsToken()) {
            return Response.text(
                    421, "This console answers only to localhost, 127.0.0.1 and [::1]; use one of them as the host.\n");
        }
        if ("/health".equals(exchange.getRequestURI().getPath())) {
            return answer(() -> router.health(true));
        }
        exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"csi4j\", charset=\"UTF-8\"");
        return Response.text(401, "Give the token of the console as the password, or as a bearer token.\n");
    }

    private static Response answer(Callable<Response> page) {
        try {
            return page.call();
        } catch (IllegalArgumentException e) {
            return Response.html(400, PageFrame.message("Bad request", String.valueOf(e.getMessage())));
        } catch (CsiException e) {
            return Response.html(503, PageFrame.message("No answer", String.valueOf(e.getMessage())));
        } catch (Exception e) {
            LOGGER.log(Level.WARNING, "A page of the console failed; please report this", e);
            return Response.html(
                    500, PageFrame.message("Failed", "The page failed. The log of the server has the cause."));
        }
    }

    private static void headers(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
    }

    private void send(HttpExchange exchange, Response response, boolean head) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", response.type());
        byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
        threads.run(() -> {
            exchange.sendResponseHeaders(response.status(), head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        });
    }
}

package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.http.HttpHead;
import io.csi4j.admin.internal.http.RequestThreads;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.ReplicatedLog;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a server. They show all namespaces, so their reader needs {@link
 * io.csi4j.core.spi.Permission#MANAGEMENT}. They change nothing.
 *
 * <p>Pages wait for the engine on threads of their own, so that they never delay the API.
 */
public final class ConsolePages implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(ConsolePages.class.getName());
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    private static final int STREAMS = 256;

    private final Environment environment;
    private final EventHistory history;
    private final LiveReader reader;
    private final Router router;
    private final RequestThreads threads = new RequestThreads("csi4j-console-");
    private final Semaphore streams = new Semaphore(STREAMS);

    /**
     * @param log the log of the server; null if the host did not give it
     * @param endpoints the endpoints of the API, whose commands the pages show
     */
    public ConsolePages(
            VolumeLifecycle lifecycle,
            HealthCheck health,
            Environment environment,
            EventHistory history,
            @Nullable ReplicatedLog log,
            List<Endpoint> endpoints) {
        this.environment = environment;
        this.history = history;
        this.reader = new LiveReader(lifecycle, health, environment);
        this.router = new Router(reader, history, log, new Commands(endpoints));
    }

    /** Answers a request with a page, a file of the pages, or the stream that reports changes. */
    public CompletableFuture<HttpAnswer> answer(HttpHead head, CallerOperations caller) {
        CompletableFuture<HttpAnswer> answer = Futures.compose(
                caller.operator().withdrawnCreations(), // Needs MANAGEMENT, and is cheap.
                allowed -> head.path().equals(List.of("events"))
                        ? CompletableFuture.completedFuture(stream())
                        : Futures.startOn(
                                threads,
                                () -> CompletableFuture.completedFuture(page(() -> router.answer(new Request(head))))),
                refused -> CompletableFuture.completedFuture(page(() -> {
                    throw refused instanceof RuntimeException known ? known : new CsiException("" + refused, refused);
                })));
        return answer.thenApply(ConsolePages::guarded);
    }

    private HttpAnswer stream() {
        return streams.tryAcquire()
                ? HttpAnswer.of(
                        200,
                        "text/event-stream",
                        new ChangeStream(environment.timer(), () -> reader.index() + history.added(), streams::release))
                : HttpAnswer.of(503, "text/plain; charset=utf-8", "Too many pages are open; close one.\n")
                        .with("retry-after", "30");
    }

    private interface Page {
        HttpAnswer make() throws IOException;
    }

    private static HttpAnswer page(Page page) {
        try {
            return page.make();
        } catch (IllegalArgumentException e) {
            return message(400, "Bad request", e);
        } catch (AccessDeniedException e) {
            return message(403, "Not allowed", e);
        } catch (CsiException e) {
            return message(503, "No answer", e);
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, "A page of the console failed; please report this", e);
            return html(500, PageFrame.message("Failed", "The page failed. The log of the server has the cause."));
        }
    }

    private static HttpAnswer message(int status, String title, Exception cause) {
        return html(status, PageFrame.message(title, String.valueOf(cause.getMessage())));
    }

    static HttpAnswer html(int status, String page) {
        return HttpAnswer.of(status, "text/html; charset=utf-8", page);
    }

    private static HttpAnswer guarded(HttpAnswer answer) {
        return answer.with("content-security-policy", POLICY)
                .with("x-frame-options", "DENY")
                .with("referrer-policy", "no-referrer")
                .with("cross-origin-opener-policy", "same-origin");
    }

    /** Ends the threads of the pages. */
    @Override
    public void close() {
        threads.close();
    }
}

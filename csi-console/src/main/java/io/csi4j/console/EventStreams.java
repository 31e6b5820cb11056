package io.csi4j.console;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends an event to each open page when the state or the history has changed. A stream has no queue: once a second it
 * compares the current version with the version that it sent last. After five seconds without a change, it sends an
 * event anyway. A slow client only gets fewer events, and never delays the engine.
 */
final class EventStreams {
    private static final int SECONDS_WITHOUT_CHANGE = 5;

    private final LiveReader reader;
    private final ConsoleHistory history;
    private final ClientThreads threads;
    private final Semaphore free;
    private final CountDownLatch closed = new CountDownLatch(1);

    EventStreams(LiveReader reader, ConsoleHistory history, ClientThreads threads, int limit) {
        this.reader = reader;
        this.history = history;
        this.threads = threads;
        this.free = new Semaphore(limit);
    }

    /**
     * Serves a stream on this thread until the client leaves or the console is closed.
     *
     * @return false if there are too many streams; nothing is sent then
     */
    boolean serve(HttpExchange exchange) throws IOException {
        if (!free.tryAcquire()) {
            return false;
        }
        try (OutputStream out = begin(exchange)) {
            send(out, "retry: 3000\n\n");
            long known = version();
            send(out, change(known));
            int quiet = 0;
            while (!closed.await(1, TimeUnit.SECONDS)) {
                long now = version();
                quiet++;
                if (now != known || quiet == SECONDS_WITHOUT_CHANGE) {
                    send(out, change(now));
                    known = now;
                    quiet = 0;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            free.release();
        }
        return true;
    }

    private static OutputStream begin(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    /** Returns a number that changes with the state or the history: the sum of two numbers that only grow. */
    private long version() {
        return reader.index() + history.added();
    }

    private static String change(long version) {
        return "event: change\ndata: " + version + "\n\n";
    }

    private void send(OutputStream out, String event) throws IOException {
        threads.run(() -> {
            out.write(event.getBytes(StandardCharsets.UTF_8));
            out.flush();
        });
    }

    void close() {
        closed.countDown();
    }
}

package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.lifecycle.NotLeadingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A socket that answers requests, one JSON object on a line: {@code {"op": NAME, ...}}. Each answer is any number of lines {@code {"progress": TEXT}} and
 * then {@code {"result": ...}} or {@code {"error": TEXT, "code": CODE}}. While a request runs, an empty line each second
 * shows that the server is alive. Only this user can connect.
 */
public final class LineSocket implements AutoCloseable {
    /** The code of an error: this server does not lead, so ask another one. */
    static final String NOT_LEADING = "not-leading";

    /** The code of an error: the request is wrong. */
    public static final String USAGE = "usage";

    /** The code of an error: the library or the program could not do what was requested. */
    static final String FAILED = "failed";

    /** Answers requests; one at a time on each connection. */
    @FunctionalInterface
    interface Handler {
        JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception;
    }

    private static final long ALIVE_MILLIS = 1_000;

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "csi4j-example-admin-timer");
        daemon.setDaemon(true);
        return daemon;
    });

    private final ServerSocketChannel channel;
    private final Handler handler;

    private LineSocket(ServerSocketChannel channel, Handler handler) {
        this.channel = channel;
        this.handler = handler;
    }

    static LineSocket listen(Path path, Handler handler) throws IOException {
        Files.createDirectories(path.toAbsolutePath().getParent());
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        LineSocket socket = new LineSocket(channel, handler);
        startThread(socket::accept);
        return socket;
    }

    private static void startThread(Runnable task) {
        Thread thread = new Thread(task, "csi4j-example-admin");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (channel.isOpen()) {
            try {
                SocketChannel connection = channel.accept();
                startThread(() -> serve(connection));
            } catch (IOException e) {
                if (channel.isOpen()) {
                    System.err.println("admin socket: " + e);
                }
            }
        }
    }

    private void serve(SocketChannel connection) {
        try (connection;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.UTF_8))) {
            // Writes answers to the channel itself: a stream on it would wait for the lock that the reading stream
            // holds.
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                ScheduledFuture<?> alive = TIMER.scheduleWithFixedDelay(
                        () -> write(connection, ""), ALIVE_MILLIS, ALIVE_MILLIS, TimeUnit.MILLISECONDS);
                try {
                    write(
                            connection,
                            answer(line, text -> {
                                        JsonObject progress = new JsonObject();
                                        progress.addProperty("progress", text);
                                        write(connection, progress.toString());
                                    })
                                    .toString());
                } finally {
                    alive.cancel(false);
                }
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            // The caller has closed the connection, and does not need the answer.
            System.err.println("admin connection: " + e.getMessage());
        }
    }

    /**
     * Writes one line. The stream locks the connection for the whole line, so that an empty line from the timer cannot
     * split it.
     */
    private static void write(SocketChannel connection, String line) {
        try {
            OutputStream out = Channels.newOutputStream(connection);
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private JsonObject answer(String line, Consumer<String> progress) {
        JsonObject answer = new JsonObject();
        try {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject();
            answer.add("result", handler.answer(request.get("op").getAsString(), request, progress));
        } catch (Exception e) {
            Throwable cause =
                    (e instanceof CompletionException || e instanceof ExecutionException) && e.getCause() != null
                            ? e.getCause()
                            : e;
            answer.addProperty("error", cause instanceof CsiException ? cause.getMessage() : text(cause));
            answer.addProperty(
                    "code",
                    cause instanceof NotLeadingException
                            ? NOT_LEADING
                            : cause instanceof IllegalArgumentException ? USAGE : FAILED);
        }
        return answer;
    }

    private static String text(Throwable failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

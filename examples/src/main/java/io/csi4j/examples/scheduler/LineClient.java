package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Asks the leading server of a cluster over its {@link LineSocket}. */
public final class LineClient {
    private static final long RETRY_MILLIS = 200;
    /**
     * The client gives up a server that is silent for this time. During a request, a server sends a line each second.
     */
    private static final Duration SILENCE = Duration.ofSeconds(4);

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "csi4j-example-client-timer");
        daemon.setDaemon(true);
        return daemon;
    });

    private final List<Path> sockets;
    private final Duration patience;
    private final long silenceNanos;
    /** The index of the server that answered last. The next request goes to this server first. */
    private volatile int first;

    /**
     * Creates a client.
     *
     * @param sockets the sockets of the servers, in any order
     * @param patience the longest time to wait until a server answers and leads
     */
    public LineClient(List<Path> sockets, Duration patience) {
        this(sockets, patience, SILENCE);
    }

    LineClient(List<Path> sockets, Duration patience, Duration silence) {
        this.sockets = List.copyOf(sockets);
        this.patience = patience;
        this.silenceNanos = silence.toNanos();
    }

    /** No server answers, or none leads. */
    public static final class UnreachableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnreachableException(String message) {
            super(message);
        }
    }

    /** The server answered with an error. */
    public static final class FailedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String code;

        FailedException(String message, String code) {
            super(message);
            this.code = code;
        }

        /** Returns the code of the error. */
        public String code() {
            return code;
        }
    }

    /**
     * Sends a request to the leader and waits for the answer. If the server ends or hangs meanwhile, sends the request
     * again to the next server, so a request must have the same effect if it runs twice.
     *
     * @param request the arguments
     * @param progress receives the lines of progress
     */
    public JsonElement ask(String op, JsonObject request, Consumer<String> progress) throws IOException {
        request.addProperty("op", op);
        long end = System.nanoTime() + patience.toNanos();
        String problem;
        do {
            problem = "no server listens at " + sockets;
            for (int i = 0; i < sockets.size(); i++) {
                int index = (first + i) % sockets.size();
                try {
                    JsonElement answer = ask(sockets.get(index), request, progress);
                    first = index;
                    return answer;
                } catch (FailedException e) {
                    if (!e.code().equals(LineSocket.NOT_LEADING)) {
                        first = index;
                        throw e;
                    }
                    problem = e.getMessage();
                } catch (IOException e) {
                    // The server does not run, hangs, or has ended before its answer.
                }
            }
            Pause.millis(RETRY_MILLIS);
        } while (System.nanoTime() < end);
        throw new UnreachableException("no leading server answers within " + patience.toSeconds() + " s: " + problem);
    }

    private JsonElement ask(Path socket, JsonObject request, Consumer<String> progress) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Silence silence = new Silence(channel);
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            Channels.newOutputStream(channel).write((request + "\n").getBytes(StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                silence.ends();
                if (line.isEmpty()) {
                    continue;
                }
                JsonObject answer = JsonParser.parseString(line).getAsJsonObject();
                if (answer.has("result")) {
                    return answer.get("result");
                } else if (answer.has("error")) {
                    throw new FailedException(
                            answer.get("error").getAsString(),
                            answer.get("code").getAsString());
                }
                progress.accept(answer.get("progress").getAsString());
            }
            throw new IOException("the server at " + socket + " ended before its answer");
        }
    }

    /** Closes a connection on which no line has arrived for {@link #SILENCE}, which ends a waiting read. */
    private final class Silence implements AutoCloseable {
        private final SocketChannel channel;
        private final ScheduledFuture<?> checks;
        private volatile long begun = System.nanoTime();

        Silence(SocketChannel channel) {
            this.channel = channel;
            this.checks =
                    TIMER.scheduleWithFixedDelay(this::check, silenceNanos, silenceNanos / 4, TimeUnit.NANOSECONDS);
        }

        private void check() {
            if (System.nanoTime() - begun >= silenceNanos) {
                try {
                    channel.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        /** Starts the time of silence anew, because a line has arrived. */
        void ends() {
            begun = System.nanoTime();
        }

        @Override
        public void close() {
            checks.cancel(false);
        }
    }
}

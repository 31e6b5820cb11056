package io.csi4j.testkit.internal.control;

import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sends commands to a control socket, each on a connection of its own. Thread-safe.
 *
 * @param socket the path of the socket
 */
public record ControlClient(Path socket) {
    /** The plugin refused a command. */
    public static final class RefusedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Sends a command that has a one-line answer.
     *
     * @throws RefusedException if the plugin refuses it
     * @throws UncheckedIOException if the plugin does not run
     */
    public String ask(String command) {
        return exchange(command, (first, reader) -> first);
    }

    /** Sends a command whose answer is a list; errors as {@link #ask}. */
    public List<String> list(String command) {
        return exchange(command, (first, reader) -> {
            List<String> lines = new ArrayList<>();
            for (int left = Integer.parseInt(first); left > 0; left--) {
                lines.add(line(reader));
            }
            return lines;
        });
    }

    public List<CallRecord> calls() {
        return list("history").stream().map(CallLine::parse).toList();
    }

    public List<Leak> leaks() {
        return list("leaks").stream()
                .map(TabbedLine::split)
                .map(fields -> new Leak(Leak.Kind.valueOf(fields.get(0)), fields.get(1), fields.get(2)))
                .toList();
    }

    public List<ChangedRequest> changedRequests() {
        return list("changed-requests").stream()
                .map(TabbedLine::split)
                .map(fields -> new ChangedRequest(fields.get(0), fields.get(1), fields.subList(2, fields.size())))
                .toList();
    }

    /**
     * Passes each call to the follower when it begins and again when it ends. Runs {@code connected} as soon as all
     * later calls will be reported. Blocks until the plugin ends.
     */
    public void follow(Runnable connected, Consumer<CallRecord> follower) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            send(channel, "follow");
            BufferedReader reader = reader(channel);
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.equals(ControlConnection.FOLLOWING)) {
                    connected.run();
                } else {
                    follower.accept(CallLine.parse(line));
                }
            }
        }
    }

    /** Reads the remaining lines of an answer, after its first line. */
    private interface Reading<T> {
        T read(String first, BufferedReader rest) throws IOException;
    }

    private <T> T exchange(String command, Reading<T> reading) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            send(channel, command);
            BufferedReader reader = reader(channel);
            String answer = line(reader);
            if (!answer.startsWith("ok")) {
                throw new RefusedException(
                        TabbedLine.split(answer.replaceFirst("^error ", "")).get(0));
            }
            return reading.read(answer.substring(2).strip(), reader);
        } catch (IOException unreachable) {
            throw new UncheckedIOException(
                    "the control socket " + socket + " cannot be used, so the plugin has probably ended: "
                            + unreachable.getMessage(),
                    unreachable);
        }
    }

    private static void send(SocketChannel channel, String command) throws IOException {
        Writer writer = Channels.newWriter(channel, StandardCharsets.UTF_8);
        writer.write(command + "\n");
        writer.flush();
    }

    private static BufferedReader reader(SocketChannel channel) {
        return new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    private static String line(BufferedReader reader) throws IOException {
        String line = reader.readLine();
        if (line == null) {
            throw new IOException("the connection has ended before the answer");
        }
        return line;
    }
}

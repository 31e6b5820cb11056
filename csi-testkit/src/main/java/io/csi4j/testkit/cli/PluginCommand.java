package io.csi4j.testkit.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs the user's plugin as a process of this program: starts it, keeps its last output, kills and restarts it, and ends it. */
final class PluginCommand implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 20;
    private static final long END_SECONDS = 10;
    private static final int LINES = 200;

    private final String command;
    private final List<Path> sockets;
    private final Deque<String> output = new ArrayDeque<>();
    private @Nullable Process process;
    private @Nullable Thread reader;

    /**
     * Creates the command; nothing is started yet.
     *
     * @param command run by {@code sh -c}, with the first socket in the variable CSI_ENDPOINT
     * @param sockets the sockets on which the plugin serves
     */
    PluginCommand(String command, Collection<Path> sockets) {
        this.command = command;
        this.sockets = List.copyOf(sockets);
    }

    /** Starts the plugin and waits until it listens on its sockets. */
    void start() {
        Process started;
        try {
            ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
            builder.environment().put("CSI_ENDPOINT", "unix://" + sockets.get(0));
            started = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the plugin: " + e, e);
        }
        process = started;
        Thread reading = new Thread(() -> read(started), "csi4j-plugin-output");
        reading.setDaemon(true);
        reading.start();
        reader = reading;
        long end = System.nanoTime() + START.toNanos();
        while (!sockets.stream().allMatch(PluginCommand::listens)) {
            if (!started.isAlive() || System.nanoTime() > end) {
                boolean alive = started.isAlive();
                close();
                throw new UncheckedIOException(
                        "the plugin "
                                + (alive ? "does not listen on " + sockets : "ended before it listened on " + sockets)
                                + "; its output: " + String.join(" | ", newOutput()),
                        new IOException(command));
            }
            pause(started);
        }
    }

    /** Waits for a short time, or until the process has ended. */
    private static void pause(Process started) {
        try {
            boolean unused = started.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the plugin was started", e);
        }
    }

    static boolean listens(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            return false;
        }
    }

    private void read(Process from) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                add(line);
            }
            add("(the plugin's process ended with exit code " + from.waitFor() + ")");
        } catch (IOException e) {
            add("(the plugin's output cannot be read any more: " + e + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void add(String line) {
        synchronized (output) {
            if (output.size() == LINES) {
                output.removeFirst();
            }
            output.addLast(line);
        }
    }

    /** Returns the last lines that the plugin has printed since the last call. */
    List<String> newOutput() {
        synchronized (output) {
            List<String> lines = List.copyOf(output);
            output.clear();
            return lines;
        }
    }

    /** Kills the plugin without a warning, removes its sockets, and starts it again. */
    void restart() {
        close();
        for (Path socket : sockets) {
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot remove the socket of the killed plugin: " + e, e);
            }
        }
        start();
    }

    /** Kills the plugin and all processes that it has started, and waits until its last output and its exit code are read. */
    @Override
    public void close() {
        Process running = process;
        Thread reading = reader;
        if (running == null || reading == null) {
            return;
        }
        running.descendants().forEach(ProcessHandle::destroyForcibly);
        // Through the handle: Process.destroyForcibly() also closes the output, and lines that nothing has read yet are
        // lost.
        running.toHandle().destroyForcibly();
        try {
            boolean unused = running.waitFor(END_SECONDS, TimeUnit.SECONDS);
            reading.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

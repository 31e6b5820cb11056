package io.csi4j.client;

import io.grpc.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A separate Java process: a plugin that can be killed, or another main class of these tests. */
final class PluginProcess implements AutoCloseable {
    static final String READY = "ready";

    private final Process process;
    private final BufferedReader output;

    private PluginProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a plugin at {@code socket} and returns when it listens. Its name is {@code name}, or see {@link Main}. */
    static PluginProcess start(Path socket, String name) {
        PluginProcess started = java(List.of(), Main.class, socket.toString(), name);
        started.expect(READY);
        return started;
    }

    static PluginProcess java(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xshare:auto");
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        try {
            return new PluginProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Reads the output until the line {@code line}. */
    void expect(String line) {
        List<String> observed = new ArrayList<>();
        for (String next = nextLine(); !line.equals(next); next = nextLine()) {
            if (next == null) {
                throw new AssertionError("the process ended before '" + line + "': " + observed);
            }
            observed.add(next);
        }
    }

    /** Returns all lines that the process prints until it ends. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (String next = nextLine(); next != null; next = nextLine()) {
            lines.add(next);
        }
        return lines;
    }

    private String nextLine() {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return output.readLine();
            } catch (IOException e) {
                return null;
            }
        });
        try {
            return line.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new AssertionError("no output: " + e, e);
        }
    }

    /** Kills the process, as kill -9 does. */
    void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new AssertionError("the process cannot be killed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        kill();
    }

    /**
     * The main class of the plugin. With the name {@code hang} it never answers. With {@code repeat} it refuses each call and repeats the
     * request in the error text. With {@code late} it does the same after a response.
     */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            Path socket = Path.of(arguments[0]);
            String name = arguments[1];
            Files.deleteIfExists(socket);
            PluginServer server = PluginServer.start(socket, behaviour(name));
            System.out.println(READY);
            System.out.flush();
            for (PluginServer.Call call = server.next(); ; call = server.next()) {
                System.out.println(call.rpc());
                System.out.flush();
            }
        }

        private static PluginServer.Behaviour behaviour(String name) {
            return switch (name) {
                case "hang" -> call -> {};
                case "repeat" -> call -> call.end(repeated(call));
                case "late" ->
                    call -> {
                        call.headers();
                        call.send(new byte[1_000]);
                        call.end(repeated(call));
                    };
                default -> call -> call.ok(Wire.info(name));
            };
        }

        /** Returns a status whose text repeats the request, as some plugins do. */
        private static Status repeated(PluginServer.Call call) {
            return Status.INVALID_ARGUMENT.withDescription(
                    "refused: " + call.request().toStringUtf8());
        }
    }
}

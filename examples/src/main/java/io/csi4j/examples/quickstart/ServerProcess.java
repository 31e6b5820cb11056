package io.csi4j.examples.quickstart;

import io.csi4j.examples.steps.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Starts {@link VolumeServer} as a process, sends requests to it, and kills it. Not thread-safe. */
final class ServerProcess {
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(15);
    private static final String END = "";

    private final Process process;
    private final Path errors;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final String pluginEndpoint;
    private BooleanSupplier pluginRuns = () -> true;

    private ServerProcess(Process process, Path errors) throws IOException {
        this.process = process;
        this.errors = errors;
        Thread reader = new Thread(this::read, "csi4j-example-server-output");
        reader.setDaemon(true);
        reader.start();
        this.pluginEndpoint = answer("the start of the server");
    }

    /**
     * Starts the server and waits until it leads.
     *
     * @param directory the data directory; the file with the errors of the server is beside it
     */
    static ServerProcess start(Path directory) throws IOException {
        List<String> command = new ArrayList<>();
        // The server ignores Ctrl-C, because the undo steps after Ctrl-C still need the server. It ends when its
        // standard input ends, so it cannot outlive this process.
        command.addAll(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        command.addAll(JavaCommand.of(List.of(), VolumeServer.class.getName(), List.of(directory.toString())));
        Path errors = directory.resolveSibling("server.log");
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        try {
            return new ServerProcess(process, errors);
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // Reading failed, because the process was killed; the exit code of the process shows this.
            answers.add("failed " + e.getMessage());
        }
        answers.add(END);
    }

    /** Sends a request and waits for the answer. */
    String ask(String request) throws IOException {
        process.getOutputStream().write((request + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return answer(request);
    }

    private String answer(String request) throws IOException {
        String answer = null;
        try {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (answer == null && System.nanoTime() < end && pluginRuns.getAsBoolean()) {
                answer = answers.poll(200, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(request);
        }
        if (answer == null && !pluginRuns.getAsBoolean()) {
            throw new IOException("the plugin ended before the server could answer to '" + request + "'");
        } else if (answer == null) {
            throw new IOException("the server did not answer to '" + request + "' within " + LIMIT.toSeconds() + " s");
        } else if (answer.startsWith("ok ")) {
            return answer.substring("ok ".length());
        } else if (answer.equals(END)) {
            throw new IOException("the server ended on its own; its errors were: " + Files.readString(errors));
        }
        throw new IOException(answer);
    }

    /** Returns the socket at which the server expects the plugin. */
    String pluginEndpoint() {
        return pluginEndpoint;
    }

    /** Sets the check with which {@link #ask} gives up: it waits for an answer only while the plugin runs. */
    void giveUpUnless(BooleanSupplier runs) {
        pluginRuns = runs;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process with SIGKILL, which gives it no time to save or close anything. Returns its exit code. */
    int kill() throws IOException {
        process.destroyForcibly();
        return exitCode();
    }

    /** Closes the input of the process, which makes it end. */
    void close() {
        try {
            process.getOutputStream().close();
            exitCode();
        } catch (IOException e) {
            process.destroyForcibly();
            throw new UncheckedIOException(e);
        }
    }

    private int exitCode() throws IOException {
        try {
            if (!process.waitFor(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("the server, process " + process.pid() + ", does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("waiting for the end of the server");
        }
    }
}

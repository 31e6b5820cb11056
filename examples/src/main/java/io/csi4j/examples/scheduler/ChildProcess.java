package io.csi4j.examples.scheduler;

import io.csi4j.examples.steps.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that this program started. The process ignores Ctrl-C, because the clean-up of this program still needs the
 * process; it ends when its input ends.
 */
final class ChildProcess {
    private static final long START_SECONDS = 60;
    private static final long END_SECONDS = 20;

    private final String name;
    private final Path log;
    private final Process process;
    private final CompletableFuture<String> firstLine = new CompletableFuture<>();

    private ChildProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
        Thread reader = new Thread(this::read, "csi4j-example-output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a class with the Java and the class path of this process. */
    static ChildProcess java(String name, Path log, String main, String... arguments) throws IOException {
        List<String> shell = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        shell.addAll(JavaCommand.of(List.of("-Dslf4j.internal.verbosity=ERROR", "-Xmx192m"), main, List.of(arguments)));
        return start(name, log, new ProcessBuilder(shell));
    }

    /** Starts a command of a shell. */
    static ChildProcess shell(String name, Path log, String command, String endpoint) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "trap '' INT; exec " + command);
        builder.environment().put("CSI_ENDPOINT", endpoint);
        return start(name, log, builder);
    }

    private static ChildProcess start(String name, Path log, ProcessBuilder builder) throws IOException {
        Files.createDirectories(log.toAbsolutePath().getParent());
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return new ChildProcess(name, log, builder.start());
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                firstLine.complete(line);
            }
        } catch (IOException e) {
            firstLine.completeExceptionally(e);
        }
        firstLine.completeExceptionally(new IOException(name + " ended; its messages are in " + log));
    }

    /** Waits until the process is ready, and returns the line that it prints then. */
    String awaitFirstLine() throws IOException {
        try {
            return firstLine.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(name + " is not ready after " + START_SECONDS + " s; its messages are in " + log, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("waiting for " + name);
        }
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process with SIGKILL. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Ends a process: closes its input, or sends SIGTERM to a process that does not read its input. */
    void end(boolean readsInput) {
        try {
            if (readsInput) {
                process.getOutputStream().close();
            } else {
                process.destroy();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        }
        if (!awaitEnd()) {
            kill();
        }
    }

    private boolean awaitEnd() {
        try {
            return process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

package io.csi4j.testkit.cli;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the user's command that kills the plugin and starts it again, and shows its last output if it fails. */
final class RestartCommand implements Runnable {
    /** Longer than the 90 seconds for which systemd waits for a service that does not stop. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final int LINES = 10;
    private static final int BYTES = 1000;

    private final String command;
    private final Duration limit;

    RestartCommand(String command) {
        this(command, LIMIT);
    }

    /**
     * Creates the command; nothing is started yet.
     *
     * @param command run by {@code sh -c}
     * @param limit the time after which the command, and all that it started, is killed
     */
    RestartCommand(String command, Duration limit) {
        this.command = command;
        this.limit = limit;
    }

    @Override
    public void run() {
        Path output;
        try {
            // A file, because a plugin that the command starts in the background would keep a pipe open.
            output = Files.createTempFile("csi4j-restart-command", ".log");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a file for the output of the restart command: " + e, e);
        }
        try {
            run(output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run the restart command: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the plugin was restarted", e);
        } finally {
            delete(output);
        }
    }

    private void run(Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the restart command did not end within " + limit.toSeconds()
                        + " s and was killed: " + command + "; it has to start the plugin in the background, with & or"
                        + " as a service, and to end; its last output: " + lastLines(output));
            }
        } finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException("the restart command ended with exit code " + process.exitValue() + ": "
                    + command + "; it has to end with 0; its last output: " + lastLines(output));
        }
    }

    private static String lastLines(Path output) throws IOException {
        byte[] bytes;
        try (RandomAccessFile file = new RandomAccessFile(output.toFile(), "r")) {
            long start = Math.max(0, file.length() - BYTES);
            bytes = new byte[(int) (file.length() - start)];
            file.seek(start);
            file.readFully(bytes);
        }
        List<String> lines = new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
        return lines.isEmpty()
                ? "none"
                : String.join(" | ", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    }

    private static void delete(Path output) {
        try {
            Files.deleteIfExists(output);
        } catch (IOException e) {
            System.getLogger(RestartCommand.class.getName()).log(System.Logger.Level.DEBUG, "a file stays", e);
        }
    }
}

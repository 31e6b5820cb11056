package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One of the programs as a process of its own, as {@code examples/run} starts it. */
public final class Program implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Void> ended;
    private final Path errors;

    /**
     * Starts it.
     *
     * @param directory for its temporary files, which it has to itself
     * @param onLine told of every line as soon as it is there
     */
    public Program(Class<?> main, Path directory, Consumer<String> onLine, String... args) throws IOException {
        errors = Files.createTempFile("program", ".err");
        List<String> command = new ArrayList<>();
        // Whoever runs the tests in the background may have set SIGINT to be ignored, which is inherited.
        command.addAll(List.of("env", "--default-signal=INT"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(Arrays.asList(args));
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        ended = CompletableFuture.runAsync(() -> read(onLine), task -> {
            Thread reader = new Thread(task, "program-output");
            reader.setDaemon(true);
            reader.start();
        });
    }

    private void read(Consumer<String> onLine) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                }
                onLine.accept(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal, {@code INT} or {@code TERM} for example. */
    public void signal(String name) {
        try {
            assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until it has ended. */
    public int exitCode() throws Exception {
        ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** All that it printed. */
    public String out() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    /** All that it complained of. */
    public String err() throws IOException {
        return Files.readString(errors);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(errors);
    }
}

package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs an example program as a separate process, like {@code examples/run}. */
public final class Program implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 180;

    /** The build writes it: see {@code .mvn/class-archive}. */
    private static final Path ARCHIVE = Path.of("target", "classes.jsa");

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Void> ended;
    private final Path errors;

    /**
     * Starts the program.
     *
     * @param directory the directory for its temporary files
     * @param onLine receives each line as soon as it is printed
     */
    public Program(Class<?> main, Path directory, Consumer<String> onLine, String... args) throws IOException {
        errors = Files.createTempFile("program", ".err");
        List<String> command = new ArrayList<>();
        // A shell may start background tests with SIGINT ignored, which child processes inherit.
        command.addAll(List.of("env", "--default-signal=INT"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + directory));
        if (Files.exists(ARCHIVE)) {
            command.add("-XX:SharedArchiveFile=" + ARCHIVE.toAbsolutePath());
        }
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(Arrays.asList(args));
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        ended = CompletableFuture.runAsync(() -> read(onLine), task -> {
            Thread reader = new Thread(task, "program-output");
            reader.setDaemon(true);
            reader.start();
        });
    }

    /** Returns the class path of the tests with its jars first, because a class data archive has only jars. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .sorted(Comparator.comparing(entry -> !entry.endsWith(".jar")))
                .collect(Collectors.joining(File.pathSeparator));
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

    /** Sends a signal, for example {@code INT} or {@code TERM}. */
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

    /** Waits for the program's end and returns its exit code. */
    public int exitCode() throws Exception {
        try {
            ended.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not ended after " + TIMEOUT_SECONDS + " s:\n" + out() + "\n" + err(), e);
        }
        assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** The standard output so far. */
    public String out() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    /** The error output so far. */
    public String err() throws IOException {
        return Files.readString(errors);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(errors);
    }
}

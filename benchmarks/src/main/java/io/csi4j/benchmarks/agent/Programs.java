package io.csi4j.benchmarks.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts programs of this benchmark in separate processes, each with its own heap and threads. */
final class Programs {
    private static final String READY = "ready";

    private Programs() {}

    /** Starts a program and waits until it is ready. */
    static AutoCloseable start(Class<?> program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (!READY.equals(output.readLine())) {
            process.destroyForcibly();
            throw new IOException(program.getSimpleName() + " ended before it served");
        }
        return () -> {
            process.getOutputStream().close();
            process.onExit()
                    .orTimeout(5, TimeUnit.SECONDS)
                    .exceptionally(timeout -> process.destroyForcibly())
                    .join();
        };
    }

    /** Reports that this program is ready, and ends it when its standard input is closed. */
    static void serve() throws IOException {
        System.out.println(READY);
        while (System.in.read() >= 0) {
            // Ignores the bytes of the standard input, because only its end matters.
        }
        System.exit(0);
    }
}

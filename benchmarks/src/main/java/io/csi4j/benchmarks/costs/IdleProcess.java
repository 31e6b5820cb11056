package io.csi4j.benchmarks.costs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in a process of its own that does nothing after its start. */
final class IdleProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private IdleProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a program with the default options of Java, and waits until it is idle. */
    static IdleProcess start(Class<?> program, Path directory) throws IOException {
        IdleProcess started = new IdleProcess(new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName(),
                        directory.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        started.line();
        return started;
    }

    /** Reports that this program is idle, and answers each line of its input with its heap. */
    static void serve() throws IOException {
        System.out.println("idle");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (input.readLine() != null) {
            System.gc();
            Runtime heap = Runtime.getRuntime();
            System.out.println(heap.totalMemory() - heap.freeMemory());
        }
    }

    private String line() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the program ended before it was idle");
        }
        return line;
    }

    /** Returns the cells of the table: threads, heap, resident memory. */
    String costs() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        long heap = Long.parseLong(line());
        return value("Threads") + " | " + CostsReport.size(heap) + " | " + CostsReport.size(value("VmRSS") << 10);
    }

    private long value(String name) throws IOException {
        try (var lines = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "status"))) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit()
                .orTimeout(20, TimeUnit.SECONDS)
                .exceptionally(timeout -> process.destroyForcibly())
                .join();
    }
}

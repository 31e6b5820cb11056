package io.csi4j.benchmarks.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs three peers in separate processes, kills the leader with SIGKILL, and measures the time until another peer
 * accepts a claim or a counter entry.
 */
final class FailOver implements AutoCloseable {
    private static final int PEERS = 3;
    private static final long LIMIT_SECONDS = 60;

    private record Line(int peer, String text) {}

    private final String kind;
    private final int firstPort;
    private final Path directory;
    private final List<Process> processes = new ArrayList<>();
    private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();

    FailOver(String kind, int firstPort, Path directory) throws IOException {
        this.kind = kind;
        this.firstPort = firstPort;
        this.directory = directory;
        for (int peer = 0; peer < PEERS; peer++) {
            processes.add(start(peer));
        }
    }

    private Process start(int peer) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterPeer.class.getName(),
                        kind,
                        Integer.toString(peer),
                        Integer.toString(firstPort),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader = new Thread(() -> read(peer, process), "peer-output");
        reader.setDaemon(true);
        reader.start();
        return process;
    }

    private void read(int peer, Process process) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(new Line(peer, line));
            }
        } catch (IOException e) {
            // Ends this thread without a failure, because reading the output of a killed peer always throws.
            lines.add(new Line(peer, "ended " + e.getMessage()));
        }
    }

    /** Returns the milliseconds from the kill of the leader to the next accepted claim, and starts the killed peer again. */
    long round() throws Exception {
        // Submits commands for a few seconds first, so that connections are open and code is compiled.
        int leader = accepted(0, 200).peer();
        long killed = System.currentTimeMillis();
        processes.get(leader).destroyForcibly().waitFor();
        Line next = accepted(killed, 1);
        processes.set(leader, start(leader));
        return Long.parseLong(next.text().split(" ", -1)[2]) - killed;
    }

    /**
     * Reads the output of the peers until {@code count} claims that began at {@code after} or later are accepted.
     * Returns the output line of the last of these claims.
     */
    private Line accepted(long after, int count) throws InterruptedException {
        int found = 0;
        while (true) {
            Line line = lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new IllegalStateException("no " + kind + " peer accepted anything for " + LIMIT_SECONDS + " s");
            }
            if (line.text().startsWith("accepted ")
                    && Long.parseLong(line.text().split(" ", -1)[1]) >= after) {
                found++;
                if (found >= count) {
                    return line;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (Process process : processes) {
            process.destroyForcibly().onExit().join();
        }
    }
}

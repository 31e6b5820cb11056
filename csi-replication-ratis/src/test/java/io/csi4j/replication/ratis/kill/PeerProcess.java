package io.csi4j.replication.ratis.kill;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A {@link PeerProgram} that can be asked and killed. Thread-safe. */
final class PeerProcess {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Process process;
    private final Map<Long, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final CompletableFuture<String> stopped = new CompletableFuture<>();
    private volatile boolean killed;

    private PeerProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "peer-output");
        reader.setDaemon(true);
        reader.start();
    }

    static PeerProcess start(int number, Path directory, List<Integer> ports) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PeerProgram.class.getName(),
                Integer.toString(number),
                directory.toString()));
        ports.forEach(port -> command.add(port.toString()));
        return new PeerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(directory
                        .resolveSibling(directory.getFileName() + ".log")
                        .toFile()))
                .start());
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] parts = line.split(" ", 2);
                if (parts[0].equals("0")) {
                    if (parts[1].startsWith("stopped")) {
                        stopped.complete(parts[1]);
                    }
                    continue;
                }
                CompletableFuture<String> answer = answers.remove(Long.parseLong(parts[0]));
                if (answer != null) {
                    answer.complete(parts[1]);
                }
            }
        } catch (IOException e) {
            if (!killed) {
                throw new UncheckedIOException(e);
            }
        } finally {
            answers.values().forEach(answer -> answer.complete(PeerProgram.FAILED));
        }
    }

    /** Sends a request; completes with the result, or with {@link PeerProgram#FAILED} if it never comes. */
    CompletableFuture<String> ask(String request) {
        long number = NUMBERS.incrementAndGet();
        CompletableFuture<String> answer = new CompletableFuture<>();
        answers.put(number, answer);
        try {
            synchronized (process) {
                process.getOutputStream().write((number + " " + request + "\n").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            }
        } catch (IOException killed) {
            answer.complete(PeerProgram.FAILED);
        }
        if (!process.isAlive()) {
            answer.complete(PeerProgram.FAILED);
        }
        return answer;
    }

    /** Completes if the peer stops by itself, which no kill of others may cause. */
    CompletableFuture<String> stopped() {
        return stopped;
    }

    void kill() {
        killed = true;
        process.destroyForcibly().onExit().join();
    }
}

package io.csi4j.client.registry;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A plugin in a separate process, which can be killed. */
final class WireProcess implements AutoCloseable {
    private final Process process;

    private WireProcess(Process process) {
        this.process = process;
    }

    /** Starts the process; it listens when this method returns. */
    static WireProcess start(Path socket, String version) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Xshare:auto",
                            "-cp",
                            System.getProperty("java.class.path"),
                            WirePlugin.Main.class.getName(),
                            socket.toString(),
                            version)
                    .redirectErrorStream(true)
                    .start();
            WireProcess started = new WireProcess(process);
            started.awaitReady();
            return started;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitReady() {
        CompletableFuture<Boolean> ready = new CompletableFuture<>();
        StringBuilder said = new StringBuilder();
        Thread reader = new Thread(() -> {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    said.append(line).append('\n');
                    if (line.equals(WirePlugin.READY)) {
                        ready.complete(true);
                    }
                }
                ready.completeExceptionally(new AssertionError("the process ended before it listened: " + said));
            } catch (IOException e) {
                ready.completeExceptionally(e);
            }
        });
        reader.setDaemon(true);
        reader.start();
        Wait.get(ready);
    }

    /** Kills the process, as kill -9 does. */
    void kill() {
        try {
            process.destroyForcibly();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
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
}

package io.csi4j.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads all output of a process, so that the process never blocks on a full pipe, and keeps the beginning of the
 * output.
 */
final class ProcessOutput {
    private static final int KEPT_CHARS = 16_384;

    private final StringBuilder kept = new StringBuilder();
    private final AtomicInteger open = new AtomicInteger(2);
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    private ProcessOutput() {}

    static ProcessOutput of(Process process) {
        ProcessOutput output = new ProcessOutput();
        output.reader(process.getInputStream(), "out", process.pid());
        output.reader(process.getErrorStream(), "err", process.pid());
        return output;
    }

    private void reader(InputStream from, String name, long pid) {
        Thread thread = new Thread(() -> read(from), "csi4j-fake-plugin-" + pid + "-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void read(InputStream from) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                keep(line);
                if (line.startsWith("listening on ")) {
                    ready.complete(line);
                }
            }
        } catch (IOException e) {
            keep("(its output could not be read: " + e + ")");
        }
        if (open.decrementAndGet() == 0) {
            ready.completeExceptionally(new IOException("the process has ended"));
        }
    }

    private synchronized void keep(String line) {
        if (kept.length() < KEPT_CHARS) {
            kept.append(line, 0, Math.min(line.length(), KEPT_CHARS - kept.length()))
                    .append('\n');
        }
    }

    /**
     * Waits for the line that says that the plugin is ready; returns false if the process has ended or the time is
     * over.
     */
    boolean awaitReady(Duration maxWait) {
        try {
            ready.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns whether the process has closed its streams, as it does at its end. */
    boolean hasEnded() {
        return open.get() == 0;
    }

    synchronized String text() {
        return kept.toString().strip();
    }
}

package io.csi4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A fake plugin as a process of its own, started with the Java and the class path of this one.
 *
 * <p>The process ends when this one does, however that happens: it listens to the end of its standard input. All
 * methods may be called from any thread.
 */
public final class FakePluginProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> command;
    private final String endpoint;
    private final Duration startTimeout;
    private Running running;
    private boolean closed;

    /** One process with what reads its output. */
    private record Running(Process process, ProcessOutput output) {}

    FakePluginProcess(List<String> command, String endpoint, Duration startTimeout) {
        this.command = List.copyOf(command);
        this.endpoint = endpoint;
        this.startTimeout = startTimeout;
        this.running = launch();
    }

    /**
     * Describes a plugin process.
     *
     * @param endpoint where it is to listen, like {@code unix:///run/x.sock}
     * @return a builder with usable defaults
     */
    public static FakePluginProcessBuilder builder(String endpoint) {
        return new FakePluginProcessBuilder(endpoint);
    }

    private Running launch() {
        Process process;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the fake plugin: " + e.getMessage(), e);
        }
        ProcessOutput output = ProcessOutput.of(process);
        if (output.awaitReady(startTimeout)) {
            return new Running(process, output);
        }
        boolean ended = output.hasEnded() && waitFor(process);
        String state = ended
                ? "ended with code " + process.exitValue()
                : "did not listen within " + startTimeout.toSeconds() + " s";
        end(process);
        throw new IllegalStateException("the fake plugin " + state + "; it said: " + output.text());
    }

    private static boolean waitFor(Process process) {
        try {
            return process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whatever happens, the process is gone afterwards. */
    private static void end(Process process) {
        process.toHandle().destroyForcibly();
        process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /**
     * Where the plugin listens.
     *
     * @return like {@code unix:///run/x.sock}
     */
    public String endpoint() {
        return endpoint;
    }

    /**
     * The process id.
     *
     * @return of the process that runs, or ran last
     */
    public synchronized long pid() {
        return running.process().pid();
    }

    /**
     * Whether the process runs.
     *
     * @return whether it runs
     */
    public synchronized boolean isAlive() {
        return running.process().isAlive();
    }

    /**
     * What the process has written to its standard output and error, for messages.
     *
     * @return cut off at some length
     */
    public synchronized String output() {
        return running.output().text();
    }

    /**
     * Asks the process to end with SIGTERM, and waits until it has; one that does not end in time is killed.
     *
     * @return its exit code: 143, as of every Java that ends by SIGTERM, or what it ended with before
     */
    public synchronized int terminate() {
        Process process = running.process();
        // Not by the process object, which would close the streams as well, and so end the plugin in another way.
        process.toHandle().destroy();
        if (!waitFor(process)) {
            end(process);
        }
        return process.exitValue();
    }

    /** Kills the process with SIGKILL, in the middle of whatever it does, and waits until it is gone. */
    public synchronized void killForcibly() {
        end(running.process());
    }

    /**
     * Starts the plugin again with the same arguments; one that still runs is terminated first.
     *
     * @throws IllegalStateException when it does not come up, or this is closed
     */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("the plugin process is closed; build a new one");
        }
        terminate();
        running = launch();
    }

    /** Terminates the process. */
    @Override
    public synchronized void close() {
        closed = true;
        terminate();
    }
}

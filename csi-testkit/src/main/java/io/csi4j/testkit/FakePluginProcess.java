package io.csi4j.testkit;

import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import io.csi4j.testkit.internal.control.ControlClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A fake plugin in its own process, started with the same Java and the same class path as the current process.
 *
 * <p>When the current process ends, for any reason, the standard input of the plugin's process ends too, and so the
 * plugin's process ends. Thread-safe.
 */
public final class FakePluginProcess implements ObservablePlugin, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> command;
    private final String endpoint;
    private final Path control;
    private final Duration startTimeout;
    private Running running;
    /** The calls to earlier processes of this plugin, before the last restart. */
    private CallHistory past = CallHistory.none();

    private boolean closed;

    /** A process, the reader of its output, and its calls. */
    private record Running(Process process, ProcessOutput output, ProcessCalls calls) {}

    FakePluginProcess(List<String> command, String endpoint, Path control, Duration startTimeout) {
        this.command = List.copyOf(command);
        this.endpoint = endpoint;
        this.control = control;
        this.startTimeout = startTimeout;
        this.running = launch();
    }

    /**
     * Returns a builder with usable defaults.
     *
     * @param endpoint the address to listen on, like {@code unix:///run/x.sock}
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
            return new Running(process, output, ProcessCalls.of(new ControlClient(control), process.pid()));
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

    /** Kills the process with SIGKILL, whatever it does at present, and waits for its end. */
    private static void end(Process process) {
        process.toHandle().destroyForcibly();
        process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Returns the address on which the plugin listens, like {@code unix:///run/x.sock}. */
    @Override
    public String endpoint() {
        return endpoint;
    }

    /** Returns the id of the present or last process. */
    public synchronized long pid() {
        return running.process().pid();
    }

    public synchronized boolean isAlive() {
        return running.process().isAlive();
    }

    /** Returns the beginning of the process's standard output and error, for messages. */
    public synchronized String output() {
        return running.output().text();
    }

    /**
     * Ends the process with SIGTERM, waits for its end, and kills it if it does not end in time.
     *
     * @return the exit code: 143, which is Java's exit code after SIGTERM; another code if the process had ended before
     */
    public synchronized int terminate() {
        Process process = running.process();
        // Sends SIGTERM through the process handle. Process.destroy() would also close the standard input, and the
        // plugin would end because of that instead of the signal.
        process.toHandle().destroy();
        if (!waitFor(process)) {
            end(process);
        }
        return process.exitValue();
    }

    /** Kills the process with SIGKILL, and waits for its end. */
    public synchronized void killForcibly() {
        end(running.process());
    }

    /**
     * Starts the plugin again with the same arguments; terminates a running one first. Fault rules that were added to the earlier process are gone with it; the history
     * continues.
     *
     * @throws IllegalStateException when it does not start, or this object is closed
     */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("the plugin process is closed; build a new one");
        }
        terminate();
        past = past.followedBy(running.calls().atEnd(PATIENCE));
        running = launch();
    }

    /** Waits until the process has ended, for example by a crash fault. */
    public boolean awaitEnd(Duration maxWait) {
        Process process;
        synchronized (this) {
            process = running.process();
        }
        try {
            return process.waitFor(maxWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private ControlClient control() {
        if (!isAlive()) {
            throw new IllegalStateException("the plugin process does not run; restart it");
        }
        return new ControlClient(control);
    }

    @Override
    public Fault addFault(FaultRule rule) {
        return new ProcessFault(control(), Long.parseLong(control().ask("fault " + rule)), rule, this::history);
    }

    /** Returns the rules of the present process, in the order in which they are tried. */
    @Override
    public List<Fault> faults() {
        ControlClient client = control();
        return client.list("faults").stream()
                .map(line -> line.split(" ", 3))
                .<Fault>map(words -> new ProcessFault(
                        client,
                        Long.parseLong(words[0]),
                        FaultScript.parse(words[2]).get(0),
                        this::history))
                .toList();
    }

    @Override
    public void removeFaults() {
        control().ask("remove all");
    }

    /** Returns the calls of this plugin so far, those of earlier processes included. */
    @Override
    public CallHistory history() {
        ProcessCalls calls;
        CallHistory before;
        synchronized (this) {
            calls = running.calls();
            before = past;
        }
        return before.followedBy(calls.now(PATIENCE));
    }

    @Override
    public List<Leak> leaks() {
        return control().leaks();
    }

    @Override
    public List<ChangedRequest> changedRequests() {
        return control().changedRequests();
    }

    /**
     * Sets the capacity of a topology segment for all volumes, like {@link FakeStorage#setCapacity(java.util.Map, long)}.
     *
     * @param segment topology keys and values; not empty
     * @param bytes zero or more
     */
    public void setCapacity(Map<String, String> segment, long bytes) {
        String unused = control().ask("capacity " + bytes + " " + FakePluginProcessBuilder.pairs(segment));
    }

    @Override
    public synchronized void close() {
        closed = true;
        terminate();
        try {
            Files.deleteIfExists(control);
            Files.deleteIfExists(control.getParent());
        } catch (IOException e) {
            throw new UncheckedIOException("the directory of the control socket cannot be removed: " + e, e);
        }
    }
}

package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceListener;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs checks against one plugin, one after the other. */
public final class CheckRunner implements AutoCloseable {
    private final ConformanceSettings settings;
    private final TimeSource time;
    private final EndpointConnections connections;
    private final ProbedPlugin plugin;
    private final Path directory;
    private volatile boolean stopped;
    private volatile Thread runner = Thread.currentThread();
    private int runs;

    /**
     * Connects to the plugin and asks it for its name, services and capabilities.
     *
     * @param settings the settings
     * @param time the clock that measures how long checks take
     * @throws io.grpc.StatusRuntimeException if the plugin does not answer
     */
    public CheckRunner(ConformanceSettings settings, TimeSource time) {
        this.time = time;
        this.directory = settings.workDir().resolve("csi4j-conformance-" + time.runId());
        this.connections = new EndpointConnections(settings.endpoint(), settings.controllerEndpoint());
        try {
            this.plugin = new Discovery(new RawCalls(settings, time, connections, exchange -> {})).discover();
        } catch (RuntimeException e) {
            connections.close();
            throw e;
        }
        this.settings = settings.withAtLeast(plugin.minimumVolumeBytes());
    }

    /** Returns the name, the services and the capabilities that the plugin reported. */
    public ProbedPlugin plugin() {
        return plugin;
    }

    /**
     * Runs one check and its clean-up.
     *
     * @param check the check
     * @param listener receives the progress
     */
    public CheckResult run(Check check, ConformanceListener listener) {
        CheckInfo info = check.info();
        long start = time.nanos();
        List<String> missing = check.needs().stream()
                .sorted()
                .filter(need -> !need.met(plugin, settings))
                .map(need -> "needs " + need.text())
                .toList();
        if (!missing.isEmpty()) {
            return finished(listener, new CheckResult(info, CheckOutcome.SKIPPED, missing, List.of(), Duration.ZERO));
        }
        listener.started(info);
        runner = Thread.currentThread();
        RawCalls calls = new RawCalls(settings, time, connections, exchange -> listener.exchanged(info, exchange));
        int number = ++runs;
        Run run = new Run(
                settings, plugin, calls, time, directory.resolve("c" + number), "csi4j-" + time.runId() + "-" + number);
        List<String> findings = new ArrayList<>();
        CheckOutcome outcome = judge(check, run, calls, findings);
        boolean interrupted = Thread.interrupted();
        run.cleanUp();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        findings.addAll(run.warnings());
        if (outcome == CheckOutcome.PASSED && !findings.isEmpty()) {
            outcome = CheckOutcome.WARNED;
        }
        return finished(
                listener,
                new CheckResult(info, outcome, findings, calls.exchanges(), Duration.ofNanos(time.nanos() - start)));
    }

    private CheckOutcome judge(Check check, Run run, RawCalls calls, List<String> findings) {
        try {
            if (stopped) {
                throw new NotApplicable("the run was interrupted");
            }
            check.steps().run(run);
            return CheckOutcome.PASSED;
        } catch (NotApplicable e) {
            findings.add(String.valueOf(e.getMessage()));
            return CheckOutcome.SKIPPED;
        } catch (Violation e) {
            findings.add(String.valueOf(e.getMessage()));
            return CheckOutcome.FAILED;
        } catch (StatusRuntimeException e) {
            findings.add(
                    stopped
                            ? "the run was interrupted"
                            : calls.lastRpc() + " " + text(e.getStatus().getCode()));
            return stopped ? CheckOutcome.SKIPPED : CheckOutcome.FAILED;
        } catch (Exception e) {
            findings.add("this machine failed: " + e);
            return CheckOutcome.FAILED;
        }
    }

    private static String text(Status.Code code) {
        return Run.pendingCodes().contains(code) && code != Status.Code.ABORTED
                ? "gave no answer (" + code + "); is the plugin still running?"
                : "answered " + code + " and must succeed here";
    }

    private static CheckResult finished(ConformanceListener listener, CheckResult result) {
        listener.finished(result);
        return result;
    }

    /** Interrupts the running check, which then cleans up; further checks do not start. */
    public void stop() {
        stopped = true;
        runner.interrupt();
    }

    /** Returns whether the run was interrupted. */
    public boolean stopped() {
        return stopped;
    }

    /** Disconnects and removes the directory of this run. */
    @Override
    public void close() {
        connections.close();
        try {
            WorkFiles.remove(directory);
        } catch (IOException e) {
            // Reports no error, because each check has already reported the files that it could not remove.
            System.getLogger(CheckRunner.class.getName()).log(System.Logger.Level.DEBUG, "directory stays", e);
        }
    }
}

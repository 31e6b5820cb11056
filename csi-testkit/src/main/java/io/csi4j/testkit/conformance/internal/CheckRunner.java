package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceListener;
import io.csi4j.testkit.conformance.Finding;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Runs checks against one plugin, one after the other. */
public final class CheckRunner implements AutoCloseable {
    private static final int OUTPUT_LINES = 40;

    private final ConformanceSettings settings;
    private final TimeSource time;
    private final EndpointConnections connections;
    private final ProbedPlugin plugin;
    private final Path directory;
    private volatile boolean stopped;
    private volatile Thread runner = Thread.currentThread();
    private String diedIn = "";
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
        if (!missing.isEmpty() || gone()) {
            String reason = gone() ? "not run, because the plugin died in " + diedIn : String.join("; ", missing);
            return finished(
                    listener,
                    new CheckResult(
                            info, CheckOutcome.SKIPPED, reason, List.of(), List.of(), List.of(), Duration.ZERO));
        }
        listener.started(info);
        runner = Thread.currentThread();
        newOutput();
        RawCalls calls = new RawCalls(settings, time, connections, exchange -> listener.exchanged(info, exchange));
        int number = ++runs;
        Run run = new Run(
                settings,
                plugin,
                calls,
                time,
                directory.resolve("c" + number),
                new RuleChoice(check.rules()),
                "csi4j-" + time.runId() + "-" + number);
        Verdict verdict = judge(check, run);
        boolean interrupted = Thread.interrupted();
        if (verdict.unanswered || !calls.lostRpc().isEmpty()) {
            recover(check, run, calls, verdict);
        }
        if (!gone() && !run.cleanUp()) {
            recover(check, run, calls, verdict);
            if (!gone() && !run.cleanUp()) {
                run.leave();
            }
        }
        if (gone()) {
            run.leave();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        verdict.findings.addAll(run.findings());
        verdict.findings.sort(Comparator.comparing(Finding::failure).reversed());
        CheckOutcome outcome = verdict.outcome();
        return finished(
                listener,
                new CheckResult(
                        info,
                        outcome,
                        outcome == CheckOutcome.SKIPPED ? verdict.reason : "",
                        verdict.findings,
                        calls.exchanges(),
                        outcome == CheckOutcome.FAILED ? newOutput() : List.of(),
                        Duration.ofNanos(time.nanos() - start)));
    }

    /** The result of the steps of a check, before its clean-up. */
    private static final class Verdict {
        private final List<Finding> findings = new ArrayList<>();
        private String reason = "";
        private boolean unanswered;
        private boolean dead;

        CheckOutcome outcome() {
            if (findings.stream().anyMatch(Finding::failure)) {
                return CheckOutcome.FAILED;
            }
            if (!reason.isEmpty() && findings.isEmpty()) {
                return CheckOutcome.SKIPPED;
            }
            return findings.isEmpty() ? CheckOutcome.PASSED : CheckOutcome.WARNED;
        }
    }

    private Verdict judge(Check check, Run run) {
        Verdict verdict = new Verdict();
        try {
            if (stopped) {
                throw new NotApplicable("the run was interrupted");
            }
            check.steps().run(run);
        } catch (NotApplicable e) {
            verdict.reason = String.valueOf(e.getMessage());
        } catch (Violation e) {
            verdict.findings.add(e.finding());
        } catch (StatusRuntimeException e) {
            verdict.unanswered = NoAnswer.is(e);
            if (stopped) {
                verdict.reason = "the run was interrupted";
            } else {
                verdict.findings.add(run.unexpected(e));
            }
        } catch (Exception e) {
            verdict.findings.add(run.machineFailed(e));
        }
        return verdict;
    }

    /** Waits until a plugin that has not answered a call serves again, and reports its death in place of the missing answer. */
    private void recover(Check check, Run run, RawCalls calls, Verdict verdict) {
        if (stopped) {
            return;
        }
        boolean broke = !calls.lostRpc().isEmpty();
        String rpc = broke ? calls.lostRpc() : calls.lastRpc();
        Recovery recovery = new Recovery(settings, time, new RawCalls(settings, time, connections, exchange -> {}));
        Recovery.State state = recovery.waitForPlugin();
        if (!broke && state == Recovery.State.SERVES_AGAIN) {
            return; // The plugin lives, and has not answered this one call in time.
        }
        if (verdict.unanswered) {
            verdict.findings.clear();
        }
        if (!verdict.dead) {
            verdict.dead = true;
            run.mustLater(
                    Rule.R12,
                    false,
                    "the plugin " + (broke ? "died" : "stopped to answer") + " in this check, during " + rpc + ", "
                            + state.text());
        }
        RuntimeException failure = recovery.failure();
        if (failure != null) {
            verdict.findings.add(run.machineFailed(failure));
        }
        diedIn = state == Recovery.State.GONE ? check.id() : diedIn;
    }

    /** Returns whether the plugin died in a check and does not serve again, so that no further check can run. */
    public boolean gone() {
        return !diedIn.isEmpty();
    }

    /** Returns the last lines that the plugin printed since the last call. */
    private List<String> newOutput() {
        if (settings.output() == null) {
            return List.of();
        }
        MessageText text = new MessageText(settings.secrets().values());
        List<String> lines = settings.output().get();
        return lines.subList(Math.max(0, lines.size() - OUTPUT_LINES), lines.size()).stream()
                .map(text::safe)
                .toList();
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

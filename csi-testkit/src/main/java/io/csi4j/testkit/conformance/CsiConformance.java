package io.csi4j.testkit.conformance;

import io.csi4j.testkit.conformance.internal.Check;
import io.csi4j.testkit.conformance.internal.CheckRunner;
import io.csi4j.testkit.conformance.internal.ConformanceSettings;
import io.csi4j.testkit.conformance.internal.SystemTimeSource;
import io.csi4j.testkit.conformance.internal.TimeSource;
import io.csi4j.testkit.conformance.internal.check.Catalog;
import io.csi4j.testkit.conformance.internal.report.JUnitTests;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;

/**
 * Checks a CSI plugin against the specification.
 *
 * <p>As tests of JUnit:
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicNode> conformance() {
 *     return CsiConformance.builder("unix:///run/my-plugin/csi.sock").build().tests();
 * }
 * }</pre>
 *
 * <p>Each check creates the volumes and snapshots that it needs and removes them afterwards, even if it fails. A check is skipped if the plugin lacks
 * a capability that it needs; a deviation from what the specification only recommends is a warning. An object makes one run at a time; {@link #stop}
 * may be called from any thread.
 */
public final class CsiConformance {
    private final ConformanceSettings settings;
    private final TimeSource time = new SystemTimeSource();
    private @Nullable CheckRunner running;
    private boolean stopped;

    CsiConformance(ConformanceSettings settings) {
        this.settings = settings;
    }

    /**
     * Returns a builder.
     *
     * @param endpoint the address of the plugin, like {@code unix:///run/csi.sock}; {@code in-process:NAME} for a server of gRPC's
     *     in-process transport
     */
    public static CsiConformanceBuilder builder(String endpoint) {
        return new CsiConformanceBuilder(endpoint);
    }

    /** Returns all checks that this kit has. */
    public static List<CheckInfo> allChecks() {
        return Catalog.all().stream().map(Check::info).toList();
    }

    /** Returns the selected checks, in order. The list includes checks that a run will skip because the plugin lacks a capability. */
    public List<CheckInfo> checks() {
        return selected().stream().map(Check::info).toList();
    }

    private List<Check> selected() {
        return Catalog.all().stream()
                .filter(check ->
                        settings.only().isEmpty() || settings.only().stream().anyMatch(check::matches))
                .filter(check -> settings.skip().stream().noneMatch(check::matches))
                .toList();
    }

    /**
     * Runs the selected checks.
     *
     * @return the results
     * @throws UncheckedIOException if the plugin cannot be reached
     */
    public ConformanceReport run() {
        return run(ConformanceListener.NONE);
    }

    /**
     * Runs the selected checks.
     *
     * @param listener receives the progress
     * @return the results
     * @throws UncheckedIOException if the plugin cannot be reached
     */
    public ConformanceReport run(ConformanceListener listener) {
        long start = time.nanos();
        try (CheckRunner runner = connect()) {
            List<CheckResult> results = new ArrayList<>();
            List<Check> selected = selected();
            for (Check check : selected) {
                if (!runner.stopped() && !runner.gone()) {
                    results.add(runner.run(check, listener));
                }
            }
            return new ConformanceReport(
                    settings.endpoint(),
                    runner.plugin().name(),
                    runner.plugin().version(),
                    results,
                    selected.size() - results.size(),
                    Duration.ofNanos(time.nanos() - start),
                    !runner.stopped());
        } finally {
            disconnected();
        }
    }

    private CheckRunner connect() {
        try {
            CheckRunner runner = new CheckRunner(settings, time);
            synchronized (this) {
                running = runner;
                if (stopped) {
                    runner.stop();
                }
            }
            return runner;
        } catch (StatusRuntimeException e) {
            throw new UncheckedIOException(
                    "cannot reach the plugin at " + settings.endpoint() + ": "
                            + e.getStatus().getCode() + "; start it, or correct the endpoint",
                    new IOException(e));
        }
    }

    private synchronized void disconnected() {
        running = null;
    }

    /** Stops the run early: the current check is interrupted and cleans up, and no further check starts. */
    public synchronized void stop() {
        stopped = true;
        if (running != null) {
            running.stop();
        }
    }

    /**
     * Returns the selected checks as tests of JUnit, grouped by topic. A warning does not fail a test; a skipped check is an
     * aborted test with the reason.
     *
     * @throws UncheckedIOException if the plugin cannot be reached
     */
    public Stream<DynamicNode> tests() {
        CheckRunner runner = connect();
        return JUnitTests.of(selected(), check -> runner.run(check, ConformanceListener.NONE))
                .onClose(() -> {
                    runner.close();
                    disconnected();
                });
    }
}

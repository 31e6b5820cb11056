package io.csi4j.testkit.cli;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceListener;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Exchange;
import io.csi4j.testkit.conformance.Finding;
import io.csi4j.testkit.conformance.internal.report.FindingGroup;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Prints one aligned line for each check, and on request one for each call. */
final class ProgressPrinter implements ConformanceListener {
    /** The column of the findings. */
    private static final int INDENT = 62;

    private final PrintStream out;
    private final boolean steps;
    private int number;

    ProgressPrinter(PrintStream out, boolean steps) {
        this.out = out;
        this.steps = steps;
    }

    @Override
    public void started(CheckInfo check) {
        if (steps) {
            out.println(check.id() + ": " + check.title());
            number = 0;
        }
    }

    @Override
    public void exchanged(CheckInfo check, Exchange exchange) {
        if (steps) {
            out.println(String.format(
                            Locale.ROOT,
                            "%4d  %-28s  %-6s  %6d ms  %s",
                            ++number,
                            exchange.step(),
                            exchange.ok() ? "done" : "failed",
                            exchange.duration().toMillis(),
                            exchange.answer())
                    .stripTrailing());
            out.flush();
        }
    }

    @Override
    public void finished(CheckResult result) {
        List<String> lines = result.outcome() == CheckOutcome.SKIPPED
                ? List.of(result.reason())
                : result.findings().stream().map(Finding::toString).toList();
        out.println(String.format(
                        Locale.ROOT,
                        "%-7s  %-40s  %6d ms  %s",
                        result.outcome().name().toLowerCase(Locale.ROOT),
                        result.check().id(),
                        result.duration().toMillis(),
                        lines.isEmpty() ? "" : lines.get(0))
                .stripTrailing());
        lines.stream().skip(1).forEach(line -> out.println(" ".repeat(INDENT) + line));
        out.flush();
    }

    static void summary(ConformanceReport report, PrintStream out) {
        for (FindingGroup group : FindingGroup.of(report, true)) {
            out.println();
            out.println("FAILED " + group.checkIds());
            out.println("  " + group.text());
            if (!group.message().isEmpty()) {
                out.println("  the plugin's message: " + group.message());
            }
            for (Finding finding : group.withRules()) {
                out.println("  " + finding.basis() + ": CSI, " + finding.section() + ": " + finding.demand());
            }
            List<String> output = group.results().get(0).output();
            if (!output.isEmpty()) {
                out.println("  the plugin printed:");
                output.forEach(line -> out.println("    | " + line));
            }
        }
        out.println();
        out.println(String.format(
                Locale.ROOT,
                "%s %s: %d passed, %d warned, %d skipped, %d failed%s in %.1f s%s",
                report.plugin(),
                report.version(),
                report.count(CheckOutcome.PASSED),
                report.count(CheckOutcome.WARNED),
                report.count(CheckOutcome.SKIPPED),
                report.count(CheckOutcome.FAILED),
                report.notRun() == 0 ? "" : ", " + report.notRun() + " not run",
                report.duration().toMillis() / 1000.0,
                report.completed() ? "" : "; interrupted"));
        out.flush();
    }
}

package io.csi4j.testkit.cli;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceListener;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Exchange;
import java.io.PrintStream;
import java.util.Locale;

/** Prints one aligned line for each check, and on request one for each call. */
final class ProgressPrinter implements ConformanceListener {
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
        out.println(String.format(
                        Locale.ROOT,
                        "%-7s  %-40s  %6d ms  %s",
                        result.outcome().name().toLowerCase(Locale.ROOT),
                        result.check().id(),
                        result.duration().toMillis(),
                        String.join("; ", result.findings()))
                .stripTrailing());
        out.flush();
    }

    static void summary(ConformanceReport report, PrintStream out) {
        for (CheckResult result : report.results()) {
            if (result.outcome() == CheckOutcome.FAILED) {
                out.println();
                out.println(
                        "FAILED " + result.check().id() + ": " + result.check().title());
                result.findings().forEach(finding -> out.println("  " + finding));
                for (int i = 0; i < result.check().rules().size(); i++) {
                    out.println("  CSI, " + result.check().sections().get(i) + ": "
                            + result.check().demands().get(i) + " ("
                            + result.check().rules().get(i) + ")");
                }
            }
        }
        out.println();
        out.println(String.format(
                Locale.ROOT,
                "%s %s: %d passed, %d warned, %d skipped, %d failed in %.1f s%s",
                report.plugin(),
                report.version(),
                report.count(CheckOutcome.PASSED),
                report.count(CheckOutcome.WARNED),
                report.count(CheckOutcome.SKIPPED),
                report.count(CheckOutcome.FAILED),
                report.duration().toMillis() / 1000.0,
                report.completed() ? "" : "; interrupted"));
        out.flush();
    }
}

package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Exchange;
import io.csi4j.testkit.conformance.Finding;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats a report in the XML format of JUnit. */
public final class JUnitReport {
    private JUnitReport() {}

    /**
     * Formats a report.
     *
     * @param report the report
     */
    public static String of(ConformanceReport report) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"")
                .append(HtmlReport.escape("CSI conformance of " + report.plugin()))
                .append("\" tests=\"")
                .append(report.results().size())
                .append("\" failures=\"")
                .append(report.count(CheckOutcome.FAILED))
                .append("\" errors=\"0\" skipped=\"")
                .append(report.count(CheckOutcome.SKIPPED))
                .append("\" time=\"")
                .append(seconds(report.duration()))
                .append("\">\n");
        report.results().forEach(result -> testCase(xml, result));
        return xml.append("</testsuite>\n").toString();
    }

    private static void testCase(StringBuilder xml, CheckResult result) {
        xml.append("  <testcase classname=\"csi.")
                .append(HtmlReport.escape(result.check().group()))
                .append("\" name=\"")
                .append(HtmlReport.escape(
                        result.check().id() + ": " + result.check().title()))
                .append("\" time=\"")
                .append(seconds(result.duration()))
                .append("\">");
        String findings = HtmlReport.escape(result.explanation());
        switch (result.outcome()) {
            case FAILED ->
                xml.append("<failure message=\"")
                        .append(findings)
                        .append("\" type=\"")
                        .append(HtmlReport.escape(bases(result)))
                        .append("\">")
                        .append(HtmlReport.escape(details(result)))
                        .append("</failure>");
            case SKIPPED -> xml.append("<skipped message=\"").append(findings).append("\"/>");
            case WARNED -> xml.append("<system-out>warning: ").append(findings).append("</system-out>");
            default -> {
                // Adds nothing: an empty element is a passed test case.
            }
        }
        if (!result.output().isEmpty()) {
            xml.append("<system-err>")
                    .append(HtmlReport.escape(String.join("\n", result.output())))
                    .append("</system-err>");
        }
        xml.append("</testcase>\n");
    }

    /** Returns the rules of the findings that fail a check, with commas. */
    private static String bases(CheckResult result) {
        return result.findings().stream()
                .filter(finding -> finding.failure() && !finding.rule().isEmpty())
                .map(Finding::basis)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    static String details(CheckResult result) {
        StringBuilder details = new StringBuilder();
        for (Finding finding : result.findings()) {
            details.append(finding).append('\n');
            if (!finding.rule().isEmpty()) {
                details.append("    ")
                        .append(finding.section())
                        .append(": ")
                        .append(finding.demand())
                        .append('\n');
            }
        }
        for (Exchange exchange : result.exchanges()) {
            details.append(exchange.step())
                    .append(" <- ")
                    .append(exchange.request())
                    .append("\n    -> ")
                    .append(exchange.answer())
                    .append('\n');
        }
        return details.toString();
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.3f", time.toMillis() / 1000.0);
    }
}

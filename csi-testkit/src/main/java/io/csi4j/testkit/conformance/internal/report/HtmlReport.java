package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Exchange;
import java.time.Duration;
import java.util.Locale;

/** Formats a report as one HTML page without outside assets. */
public final class HtmlReport {
    private static final String STYLE = """
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
            h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
            table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
            .FAILED { color: #a40000; font-weight: bold } .WARNED { color: #8a5a00; font-weight: bold } .PASSED { color: #1a6b1a } .SKIPPED { color: #666 }
            details { margin: .3rem 0 } summary { cursor: pointer } code, .text { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere }
            blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid #bbb }
            """;

    private HtmlReport() {}

    /**
     * Formats a report.
     *
     * @param report the report
     */
    public static String of(ConformanceReport report) {
        StringBuilder page = new StringBuilder(
                        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>")
                .append(escape("CSI conformance of " + report.plugin()))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>CSI conformance of ")
                .append(escape(report.plugin()))
                .append("</h1>\n<p>Version ")
                .append(escape(report.version()))
                .append(" at <code>")
                .append(escape(report.endpoint()))
                .append("</code>, ")
                .append(text(report.duration()))
                .append(report.completed() ? "" : ", <strong>interrupted</strong>")
                .append("</p>\n<p>");
        for (CheckOutcome outcome : CheckOutcome.values()) {
            page.append("<span class=\"")
                    .append(outcome)
                    .append("\">")
                    .append(report.count(outcome))
                    .append(' ')
                    .append(outcome.name().toLowerCase(Locale.ROOT))
                    .append("</span> &nbsp; ");
        }
        page.append("</p>\n");
        section(page, report, "Broken rules", CheckOutcome.FAILED);
        section(page, report, "Deviations from recommendations", CheckOutcome.WARNED);
        table(page, report);
        return page.append("</body></html>\n").toString();
    }

    private static void section(StringBuilder page, ConformanceReport report, String title, CheckOutcome outcome) {
        if (report.count(outcome) == 0) {
            return;
        }
        page.append("<h2>").append(title).append("</h2>\n");
        report.results().stream().filter(result -> result.outcome() == outcome).forEach(result -> {
            page.append("<h3 id=\"")
                    .append(escape(result.check().id()))
                    .append("\">")
                    .append(escape(result.check().title()))
                    .append(" <code>")
                    .append(escape(result.check().id()))
                    .append("</code></h3>\n<ul>");
            result.findings()
                    .forEach(finding -> page.append("<li class=\"")
                            .append(outcome)
                            .append("\">")
                            .append(escape(finding))
                            .append("</li>"));
            page.append("</ul>\n");
            demands(page, result.check());
            exchanges(page, result, true);
        });
    }

    private static void demands(StringBuilder page, CheckInfo check) {
        for (int i = 0; i < check.rules().size(); i++) {
            page.append("<blockquote>The CSI specification, section <em>")
                    .append(escape(check.sections().get(i)))
                    .append("</em>: ")
                    .append(escape(check.demands().get(i)))
                    .append(" (")
                    .append(escape(check.rules().get(i)))
                    .append(")</blockquote>\n");
        }
    }

    private static void exchanges(StringBuilder page, CheckResult result, boolean open) {
        if (result.exchanges().isEmpty()) {
            return;
        }
        page.append("<details")
                .append(open ? " open" : "")
                .append("><summary>")
                .append(result.exchanges().size())
                .append(
                        " calls and steps</summary><table><tr><th>Step</th><th>Asked</th><th>Came</th><th>Time</th></tr>\n");
        for (Exchange exchange : result.exchanges()) {
            page.append("<tr><td>")
                    .append(escape(exchange.step()))
                    .append("</td><td class=\"text\">")
                    .append(escape(exchange.request()))
                    .append("</td><td class=\"text\">")
                    .append(escape(exchange.answer()))
                    .append("</td><td>")
                    .append(text(exchange.duration()))
                    .append("</td></tr>\n");
        }
        page.append("</table></details>\n");
    }

    private static void table(StringBuilder page, ConformanceReport report) {
        page.append("<h2>All checks</h2>\n<table><tr><th>Check</th><th>Expected</th><th>CheckOutcome</th></tr>\n");
        for (CheckResult result : report.results()) {
            page.append("<tr><td><code>")
                    .append(escape(result.check().id()))
                    .append("</code><br>")
                    .append(escape(String.join(", ", result.check().rules())))
                    .append("</td><td>")
                    .append(escape(result.check().title()))
                    .append("</td><td><span class=\"")
                    .append(result.outcome())
                    .append("\">")
                    .append(result.outcome().name().toLowerCase(Locale.ROOT))
                    .append("</span>");
            if (result.outcome() == CheckOutcome.SKIPPED) {
                page.append(": ").append(escape(String.join("; ", result.findings())));
            } else if (result.outcome() == CheckOutcome.PASSED) {
                exchanges(page, result, false);
            }
            page.append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    private static String text(Duration time) {
        return time.toMillis() < 10_000
                ? time.toMillis() + " ms"
                : String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }

    /** Escapes a text for HTML and XML, and leaves out characters that XML does not have. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> {
                    boolean valid = c == '\t'
                            || c == '\n'
                            || (c >= 0x20 && c < 0xD800)
                            || (c > 0xDFFF && c < 0xFFFE)
                            || c > 0xFFFF;
                    escaped.appendCodePoint(valid ? c : '?');
                }
            }
        });
        return escaped.toString();
    }
}

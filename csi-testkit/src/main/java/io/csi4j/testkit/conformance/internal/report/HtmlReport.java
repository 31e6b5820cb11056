package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Exchange;
import io.csi4j.testkit.conformance.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Formats a report as one HTML page without outside assets. */
public final class HtmlReport {
    private static final String STYLE = """
            :root { color-scheme: light dark; --line: #ccc; --grey: #595959; --red: #a40000; --amber: #7a4d00; --green: #1a6b1a }
            @media (prefers-color-scheme: dark) { :root { --line: #555; --grey: #aaa; --red: #ff8a80; --amber: #ffc46b; --green: #8fd18f } }
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
            h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem }
            ul, ol, dl { padding-left: 1.2rem; margin: .3rem 0 } dd { margin-left: 0 } dt { font-weight: bold; margin-top: .5rem }
            .counts span { margin-right: 1rem; white-space: nowrap } .failed { color: var(--red) } .warned { color: var(--amber) } .passed { color: var(--green) }
            .skipped, .time { color: var(--grey) } code, pre { font-family: ui-monospace, monospace; font-size: .85rem }
            pre { white-space: pre-wrap; margin: .3rem 0; padding-left: .8rem; border-left: 3px solid var(--line) }
            summary { cursor: pointer } a { color: inherit }
            """;

    private HtmlReport() {}

    /**
     * Formats a report.
     *
     * @param report the report
     */
    public static String of(ConformanceReport report) {
        StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
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
                .append("</p>\n<p class=\"counts\">");
        for (CheckOutcome outcome : CheckOutcome.values()) {
            page.append("<span class=\"")
                    .append(name(outcome))
                    .append("\">")
                    .append(report.count(outcome))
                    .append(' ')
                    .append(name(outcome))
                    .append("</span> ");
        }
        if (report.notRun() > 0) {
            page.append("<span class=\"failed\">").append(report.notRun()).append(" not run</span>");
        }
        page.append("</p>\n");
        findings(page, "Failures", "failed", FindingGroup.of(report, true));
        findings(page, "Warnings", "warned", FindingGroup.of(report, false));
        rules(page, report);
        passed(page, report);
        skipped(page, report);
        return page.append("</body></html>\n").toString();
    }

    private static String name(CheckOutcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    private static void findings(StringBuilder page, String title, String style, List<FindingGroup> groups) {
        if (groups.isEmpty()) {
            return;
        }
        page.append("<h2>").append(title).append("</h2>\n");
        for (FindingGroup group : groups) {
            page.append("<h3 class=\"")
                    .append(style)
                    .append("\">")
                    .append(escape(group.text()))
                    .append("</h3>\n");
            group.withRules()
                    .forEach(finding -> page.append("<p><a href=\"#")
                            .append(escape(finding.rule()))
                            .append("\">")
                            .append(escape(finding.basis()))
                            .append("</a></p>\n"));
            if (!group.message().isEmpty()) {
                page.append("<p>The plugin's message:</p><pre>")
                        .append(escape(group.message()))
                        .append("</pre>\n");
            }
            Set<List<String>> printed = new HashSet<>();
            group.results().forEach(result -> where(page, result, printed));
        }
    }

    /**
     * Shows the calls of a check at its first finding, and a link to them at the others.
     *
     * @param printed the outputs of the plugin that the page has shown for this group of findings; each is shown once
     */
    private static void where(StringBuilder page, CheckResult result, Set<List<String>> printed) {
        String id = escape(result.check().id());
        if (page.indexOf("id=\"" + id + "\"") >= 0) {
            page.append("<p>In <a href=\"#")
                    .append(id)
                    .append("\"><code>")
                    .append(id)
                    .append("</code></a></p>\n");
            return;
        }
        page.append("<p id=\"")
                .append(id)
                .append("\">In <code>")
                .append(id)
                .append("</code>: ")
                .append(escape(result.check().title()))
                .append("</p>\n");
        exchanges(page, result);
        if (!result.output().isEmpty() && printed.add(result.output())) {
            page.append("<p>The plugin printed:</p><pre>")
                    .append(escape(String.join("\n", result.output())))
                    .append("</pre>\n");
        }
    }

    private static void exchanges(StringBuilder page, CheckResult result) {
        if (result.exchanges().isEmpty()) {
            return;
        }
        page.append("<details><summary>").append(result.exchanges().size()).append(" calls and steps</summary><ol>\n");
        for (Exchange exchange : result.exchanges()) {
            page.append("<li>")
                    .append(escape(exchange.step()))
                    .append(" <span class=\"time\">")
                    .append(text(exchange.duration()))
                    .append("</span>");
            if (!exchange.request().isEmpty()) {
                page.append("<br>asked <code>")
                        .append(escape(exchange.request()))
                        .append("</code>");
            }
            page.append("<br>came <code>").append(escape(exchange.answer())).append("</code></li>\n");
        }
        page.append("</ol></details>\n");
    }

    private static void rules(StringBuilder page, ConformanceReport report) {
        Map<String, Finding> quoted = new TreeMap<>(
                Comparator.comparingInt((String rule) -> rule.length()).thenComparing(Comparator.naturalOrder()));
        report.results().stream()
                .flatMap(result -> result.findings().stream())
                .filter(finding -> !finding.rule().isEmpty())
                .forEach(finding -> quoted.putIfAbsent(finding.rule(), finding));
        if (quoted.isEmpty()) {
            return;
        }
        page.append("<h2>The rules of these findings, from the CSI specification</h2>\n<dl>\n");
        quoted.forEach((rule, finding) -> page.append("<dt id=\"")
                .append(escape(rule))
                .append("\">")
                .append(escape(rule))
                .append(", section ")
                .append(escape(finding.section()))
                .append("</dt><dd>")
                .append(escape(finding.demand()))
                .append("</dd>\n"));
        page.append("</dl>\n");
    }

    private static void passed(StringBuilder page, ConformanceReport report) {
        if (report.count(CheckOutcome.PASSED) == 0) {
            return;
        }
        page.append("<h2>Passed</h2>\n<ul>\n");
        report.results().stream()
                .filter(result -> result.outcome() == CheckOutcome.PASSED)
                .forEach(result -> {
                    page.append("<li><code>")
                            .append(escape(result.check().id()))
                            .append("</code> ")
                            .append(escape(String.join(", ", result.check().rules())))
                            .append(": ")
                            .append(escape(result.check().title()));
                    exchanges(page, result);
                    page.append("</li>\n");
                });
        page.append("</ul>\n");
    }

    private static void skipped(StringBuilder page, ConformanceReport report) {
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        report.results().stream()
                .filter(result -> result.outcome() == CheckOutcome.SKIPPED)
                .forEach(result -> reasons.computeIfAbsent(result.reason(), reason -> new ArrayList<>())
                        .add(result.check().id()));
        if (reasons.isEmpty()) {
            return;
        }
        page.append("<h2>Skipped</h2>\n<dl>\n");
        reasons.forEach((reason, ids) -> page.append("<dt class=\"skipped\">")
                .append(escape(reason))
                .append("</dt><dd><code>")
                .append(escape(String.join(", ", ids)))
                .append("</code></dd>\n"));
        page.append("</dl>\n");
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

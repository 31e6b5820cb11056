package io.csi4j.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ConformanceReportTest {
    private static final String HOSTILE = "<script>alert('x')</script> & \"quoted\" \u0001";

    private static final CheckInfo CHECK =
            new CheckInfo("create.x", HOSTILE, List.of("R51"), List.of("CreateVolume"), List.of("demand"), List.of());

    private static ConformanceReport report(CheckOutcome outcome) {
        boolean found = outcome == CheckOutcome.FAILED || outcome == CheckOutcome.WARNED;
        Finding finding = new Finding(
                HOSTILE,
                outcome == CheckOutcome.FAILED,
                Requirement.MUST,
                "R51",
                "CreateVolume",
                "demand",
                HOSTILE + " in the message");
        return report(List.of(result(
                CHECK, outcome, outcome == CheckOutcome.SKIPPED ? HOSTILE : "", found ? List.of(finding) : List.of())));
    }

    private static CheckResult result(CheckInfo check, CheckOutcome outcome, String reason, List<Finding> findings) {
        return new CheckResult(
                check,
                outcome,
                reason,
                findings,
                List.of(new Exchange("CreateVolume", HOSTILE, HOSTILE, false, Duration.ofMillis(3))),
                outcome == CheckOutcome.FAILED ? List.of("printed " + HOSTILE) : List.of(),
                Duration.ofMillis(5));
    }

    private static ConformanceReport report(List<CheckResult> results) {
        return new ConformanceReport("unix:///x.sock", HOSTILE, HOSTILE, results, 0, Duration.ofSeconds(1), true);
    }

    @Test
    void hostileTextsAreEscapedInHtml() {
        for (CheckOutcome outcome : CheckOutcome.values()) {
            assertThat(report(outcome).toHtml())
                    .doesNotContain("<script")
                    .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;quoted&quot; ?");
        }
    }

    @Test
    void failedCheckShowsCallsRuleMessageAndOutput() {
        assertThat(report(CheckOutcome.FAILED).toHtml())
                .contains("<a href=\"#R51\">MUST R51</a>")
                .contains("<dt id=\"R51\">R51, section CreateVolume</dt><dd>demand</dd>")
                .contains("<br>asked <code>&lt;script&gt;")
                .contains("in the message</pre>")
                .contains("<p>The plugin printed:</p><pre>printed ");
        assertThat(report(CheckOutcome.WARNED).toHtml()).contains("MUST R51, as a warning");
    }

    @Test
    void junitReportNamesBasisOfFailureAndOutputOfPlugin() {
        assertThat(report(CheckOutcome.FAILED).toJUnitXml())
                .contains("type=\"MUST R51\"")
                .contains("<system-err>printed ");
    }

    @Test
    void findingOfSeveralChecksIsShownOnce() {
        Finding finding = new Finding("no room", true, Requirement.MUST, "R43", "Volume Lifecycle", "demand", "full");
        CheckInfo other = new CheckInfo("delete.x", "title", List.of(), List.of(), List.of(), List.of());
        String html = report(List.of(
                        result(CHECK, CheckOutcome.FAILED, "", List.of(finding)),
                        result(other, CheckOutcome.FAILED, "", List.of(finding))))
                .toHtml();
        assertThat(html)
                .containsOnlyOnce("no room")
                .containsOnlyOnce(">demand<")
                .containsOnlyOnce("The plugin printed:")
                .contains("create.x", "delete.x");
    }

    private static Finding noRoom(String rule, String message) {
        return new Finding("no room", true, Requirement.MUST, rule, "Section of " + rule, "demand of " + rule, message);
    }

    @Test
    void findingsThatDifferInTheirRulesOnlyAreOneWithAllChecksAndRules() {
        CheckInfo other = new CheckInfo("delete.x", "title", List.of(), List.of(), List.of(), List.of());
        String html = report(List.of(
                        result(CHECK, CheckOutcome.FAILED, "", List.of(noRoom("R43", "full"), noRoom("R42", "full"))),
                        result(other, CheckOutcome.FAILED, "", List.of(noRoom("R51", "full")))))
                .toHtml();
        assertThat(html)
                .containsOnlyOnce("no room")
                .containsOnlyOnce("<code>create.x</code>")
                .containsOnlyOnce("<code>delete.x</code>")
                .contains("<a href=\"#R43\">MUST R43</a>", "<a href=\"#R42\">MUST R42</a>")
                .contains("<a href=\"#R51\">MUST R51</a>");
    }

    @Test
    void findingsWithOtherMessagesOfThePluginStayApart() {
        assertThat(report(List.of(result(
                                CHECK,
                                CheckOutcome.FAILED,
                                "",
                                List.of(noRoom("R43", "full"), noRoom("R43", "read-only")))))
                        .toHtml()
                        .split("no room", -1))
                .hasSize(3);
    }

    @Test
    void junitReportNamesAllRulesOfFailure() {
        assertThat(report(List.of(result(
                                CHECK, CheckOutcome.FAILED, "", List.of(noRoom("R43", "full"), noRoom("R42", "full")))))
                        .toJUnitXml())
                .contains("type=\"MUST R43, MUST R42\"");
    }

    @Test
    void reasonOfSeveralSkippedChecksIsShownOnce() {
        CheckInfo other = new CheckInfo("delete.x", "title", List.of(), List.of(), List.of(), List.of());
        String html = report(List.of(
                        result(CHECK, CheckOutcome.SKIPPED, "needs more", List.of()),
                        result(other, CheckOutcome.SKIPPED, "needs more", List.of())))
                .toHtml();
        assertThat(html).containsOnlyOnce("needs more").contains("create.x, delete.x");
    }

    @Test
    void junitReportWithHostileTextsIsValidXml() throws Exception {
        for (CheckOutcome outcome : CheckOutcome.values()) {
            Document xml = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(report(outcome).toJUnitXml().getBytes(StandardCharsets.UTF_8)));
            assertThat(xml.getDocumentElement().getAttribute("tests")).isEqualTo("1");
            assertThat(xml.getElementsByTagName("failure").getLength())
                    .isEqualTo(outcome == CheckOutcome.FAILED ? 1 : 0);
        }
    }

    @Test
    void interruptedOrIncompleteRunIsNotReportedAsPassed() {
        ConformanceReport complete = report(CheckOutcome.PASSED);
        assertThat(complete.passed()).isTrue();
        assertThat(new ConformanceReport(
                                complete.endpoint(),
                                complete.plugin(),
                                complete.version(),
                                complete.results(),
                                0,
                                complete.duration(),
                                false)
                        .passed())
                .isFalse();
        assertThat(new ConformanceReport(
                                complete.endpoint(),
                                complete.plugin(),
                                complete.version(),
                                complete.results(),
                                1,
                                complete.duration(),
                                true)
                        .passed())
                .isFalse();
        assertThat(report(CheckOutcome.FAILED).passed()).isFalse();
        assertThat(report(CheckOutcome.WARNED).passed()).isTrue();
    }
}

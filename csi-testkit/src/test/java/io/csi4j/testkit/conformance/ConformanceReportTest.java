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

    private static ConformanceReport report(CheckOutcome outcome) {
        CheckInfo check = new CheckInfo(
                "create.x", HOSTILE, List.of("R51"), List.of("CreateVolume"), List.of("demand"), List.of());
        return new ConformanceReport(
                "unix:///x.sock",
                HOSTILE,
                HOSTILE,
                List.of(new CheckResult(
                        check,
                        outcome,
                        List.of(HOSTILE),
                        List.of(new Exchange("CreateVolume", HOSTILE, HOSTILE, false, Duration.ofMillis(3))),
                        Duration.ofMillis(5))),
                Duration.ofSeconds(1),
                true);
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
    void failedCheckShowsRequestResponseAndSpecificationSection() {
        assertThat(report(CheckOutcome.FAILED).toHtml())
                .contains("section <em>CreateVolume</em>: demand (R51)")
                .contains("<th>Asked</th><th>Came</th>");
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
    void interruptedRunIsNotReportedAsPassed() {
        ConformanceReport complete = report(CheckOutcome.PASSED);
        assertThat(complete.passed()).isTrue();
        assertThat(new ConformanceReport(
                                complete.endpoint(),
                                complete.plugin(),
                                complete.version(),
                                complete.results(),
                                complete.duration(),
                                false)
                        .passed())
                .isFalse();
        assertThat(report(CheckOutcome.FAILED).passed()).isFalse();
        assertThat(report(CheckOutcome.WARNED).passed()).isTrue();
    }
}

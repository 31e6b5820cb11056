package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Finding;
import io.csi4j.testkit.conformance.Requirement;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressPrinterTest {
    private static CheckResult failed(String check, String rule) {
        return new CheckResult(
                new CheckInfo(check, "title", List.of(), List.of(), List.of(), List.of()),
                CheckOutcome.FAILED,
                "",
                List.of(new Finding("no room", true, Requirement.MUST, rule, "Section", "demand of " + rule, "full")),
                List.of(),
                List.of(),
                Duration.ZERO);
    }

    @Test
    void summaryNamesAllChecksAndRulesOfOneDeviation() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProgressPrinter.summary(
                new ConformanceReport(
                        "unix:///x.sock",
                        "p",
                        "1",
                        List.of(failed("create.x", "R43"), failed("delete.x", "R51"), failed("list.x", "R43")),
                        0,
                        Duration.ZERO,
                        true),
                new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.isEmpty()))
                .startsWith(
                        "FAILED create.x, delete.x, list.x",
                        "  no room",
                        "  the plugin's message: full",
                        "  MUST R43: CSI, Section: demand of R43",
                        "  MUST R51: CSI, Section: demand of R51")
                .hasSize(6);
    }
}

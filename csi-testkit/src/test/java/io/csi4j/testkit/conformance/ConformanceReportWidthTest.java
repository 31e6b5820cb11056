package io.csi4j.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report in a real browser, at the width of a phone. Skipped where Chromium is not installed. */
class ConformanceReportWidthTest {
    private static final int PHONE = 390;
    private static final Pattern WIDTH = Pattern.compile("data-width=\"(\\d+)\"");

    @TempDir
    Path directory;

    private static ConformanceReport report() {
        String path = "/var/lib/check/" + "long-directory-".repeat(20) + "target";
        CheckInfo check =
                new CheckInfo("create." + "x".repeat(60), "title", List.of("R51"), List.of(), List.of(), List.of());
        Finding finding = new Finding(
                "the target " + path + " is left",
                true,
                Requirement.MUST,
                "R51",
                "CreateVolume",
                "demand",
                "m".repeat(400));
        Exchange call = new Exchange("CreateVolume", "path: '" + path + "'", path, true, Duration.ofMillis(3));
        List<CheckResult> results = List.of(
                new CheckResult(
                        check, CheckOutcome.FAILED, "", List.of(finding), List.of(call), List.of(path), Duration.ZERO),
                new CheckResult(check, CheckOutcome.PASSED, "", List.of(), List.of(call), List.of(), Duration.ZERO),
                new CheckResult(check, CheckOutcome.SKIPPED, path, List.of(), List.of(), List.of(), Duration.ZERO));
        return new ConformanceReport("unix://" + path, path, path, results, 3, Duration.ofSeconds(1), true);
    }

    @Test
    void reportFitsWidthOfPhone() throws Exception {
        Optional<Path> chromium = Arrays.stream(System.getenv("PATH").split(":", -1))
                .map(directory -> Path.of(directory, "chromium"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(chromium.isPresent(), "needs chromium and chromedriver");
        String html = report().toHtml().replace("<details>", "<details open>");
        Path page = Files.writeString(
                directory.resolve("page.html"),
                "<!DOCTYPE html><body><iframe id=\"f\" style=\"width:" + PHONE + "px;border:0\" srcdoc=\""
                        + html.replace("&", "&amp;").replace("\"", "&quot;")
                        + "\"></iframe><script>onload = () => document.body.setAttribute('data-width',"
                        + " document.getElementById('f').contentDocument.documentElement.scrollWidth)</script>");
        Path dump = directory.resolve("dump.html");
        Process browser = new ProcessBuilder(
                        chromium.get().toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--dump-dom",
                        page.toUri().toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(dump.toFile())
                .start();
        try {
            assertThat(browser.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly();
        }
        Matcher width = WIDTH.matcher(Files.readString(dump, StandardCharsets.UTF_8));
        assertThat(width.find()).isTrue();
        assertThat(Integer.parseInt(width.group(1))).isLessThanOrEqualTo(PHONE);
    }

    @Test
    void reportHasLightAndDarkColours() {
        assertThat(report().toHtml())
                .contains("<meta name=\"viewport\" content=\"width=device-width")
                .contains("color-scheme: light dark")
                .contains("@media (prefers-color-scheme: dark)");
    }
}

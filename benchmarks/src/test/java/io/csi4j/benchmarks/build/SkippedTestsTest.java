package io.csi4j.benchmarks.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkippedTestsTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

    @TempDir
    Path root;

    private Path report(String module, String name, String cases, Instant written) throws IOException {
        Path directory = Files.createDirectories(root.resolve(module).resolve("target/surefire-reports"));
        Path file = directory.resolve("TEST-" + name + ".xml");
        Files.writeString(file, "<?xml version=\"1.0\"?><testsuite name=\"" + name + "\">" + cases + "</testsuite>");
        return Files.setLastModifiedTime(file, FileTime.from(written));
    }

    private static String ran(String name) {
        return "<testcase classname=\"io.csi4j." + name + "\" name=\"a\" time=\"0\"/>";
    }

    private static String skipped(String name, String message) {
        return "<testcase classname=\"io.csi4j." + name + "\" name=\"b\" time=\"0\"><skipped message=\"" + message
                + "\"><![CDATA[stack]]></skipped></testcase>";
    }

    @Test
    void skippedTestsAreListedByReasonWithModuleAndClass() throws IOException {
        String assumption = "Assumption failed: mounting needs root";
        report("csi-node", "A", ran("A") + skipped("A", assumption) + skipped("A", assumption), START);
        report("examples", "B", ran("B") + skipped("B", assumption), START.plusSeconds(60));
        report("csi-console", "C", skipped("C", "chromium is not installed"), START.plusSeconds(60));

        assertThat(SkippedTests.of(root, START))
                .contains("WARNING: 4 of 6 tests were SKIPPED")
                .containsSubsequence(
                        "1  chromium is not installed",
                        "in csi-console C",
                        "3  mounting needs root",
                        "in csi-node A",
                        "in examples B");
    }

    @Test
    void buildWithoutSkippedTestsSaysSo() throws IOException {
        report("csi-node", "A", ran("A") + ran("A"), START);

        assertThat(SkippedTests.of(root, START))
                .contains("All 2 tests ran, none was skipped.")
                .doesNotContain("WARNING");
    }

    @Test
    void reportOfEarlierBuildIsLeftOut() throws IOException {
        report("csi-node", "A", ran("A"), START);
        report("csi-node", "Removed", skipped("Removed", "needs root"), START.minusSeconds(1));

        assertThat(SkippedTests.of(root, START)).contains("All 1 tests ran");
    }

    @Test
    void brokenReportIsNamed() throws IOException {
        Path broken = report("csi-node", "A", "<testcase", START);

        assertThatThrownBy(() -> SkippedTests.of(root, START))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(broken.toString());
    }
}

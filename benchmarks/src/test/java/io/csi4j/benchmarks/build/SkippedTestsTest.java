package io.csi4j.benchmarks.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkippedTestsTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    private static final String ROOT = "Assumption failed: needs root";

    @TempDir
    Path root;

    @BeforeEach
    void promise() throws IOException {
        promises("| I1 | One claim. | `ATest.a` |");
    }

    private void promises(String rows) throws IOException {
        Files.createDirectories(root.resolve("docs"));
        Files.writeString(root.resolve("docs/promises.md"), "| number | invariant | tests |\n|---|---|---|\n" + rows);
    }

    private Path report(String module, String name, String cases, Instant written) throws IOException {
        Path directory = Files.createDirectories(root.resolve(module).resolve("target/surefire-reports"));
        Path file = directory.resolve("TEST-" + name + ".xml");
        Files.writeString(file, "<?xml version=\"1.0\"?><testsuite name=\"" + name + "\">" + cases + "</testsuite>");
        return Files.setLastModifiedTime(file, FileTime.from(written));
    }

    private static String ran(String testClass, String name) {
        return "<testcase classname=\"io.csi4j." + testClass + "\" name=\"" + name + "\" time=\"0\"/>";
    }

    private static String skipped(String testClass, String name, String message) {
        return "<testcase classname=\"io.csi4j." + testClass + "\" name=\"" + name + "\" time=\"0\"><skipped message=\""
                + message.replace(">", "&gt;") + "\"><![CDATA[stack]]></skipped></testcase>";
    }

    private String list() throws IOException {
        return SkippedTests.text(TestReport.runs(root));
    }

    private void build(String tests) throws IOException {
        SkippedTests.main(new String[] {root.toString(), START.toString(), tests});
    }

    @Test
    void skippedTestsAreListedByNeedWithModuleAndClass() throws IOException {
        report(
                "csi-node",
                "ATest",
                ran("ATest", "a") + skipped("ATest", "b", ROOT) + skipped("ATest", "c", ROOT),
                START);
        report("examples", "BTest", ran("BTest", "a") + skipped("BTest", "b", ROOT), START);
        report("csi-admin", "CTest", skipped("CTest", "a", "needs chromium and chromedriver"), START);
        String condition = "Disabled on operating system: Mac OS X ==> needs Linux";
        report("csi-node", "DTest", skipped("DTest", "", condition), START);

        assertThat(list())
                .contains("WARNING: 5 of 7 tests were SKIPPED")
                .containsSubsequence(
                        "1  needs Linux",
                        "in csi-node DTest",
                        "3  needs root",
                        "in csi-node ATest",
                        "in examples BTest",
                        "1  needs chromium and chromedriver",
                        "in csi-admin CTest");
        build("all");
    }

    @Test
    void buildWithoutSkippedTestsSaysSo() throws IOException {
        report("csi-node", "ATest", ran("ATest", "a") + ran("ATest", "b"), START);

        assertThat(list()).contains("All 2 tests ran, none was skipped.").doesNotContain("WARNING");
    }

    @Test
    void skipWithoutNeedFailsBuildThatDidIt() throws IOException {
        report("csi-node", "ATest", skipped("ATest", "a", "Assumption failed: assumption is not true"), START);

        assertThatThrownBy(() -> build("all"))
                .hasMessage("csi-node ATest.a was skipped, and its reason states no need of the machine:"
                        + " assumption is not true");

        report("csi-node", "ATest", skipped("ATest", "a", "no time"), START.minusSeconds(1));
        build("all");
    }

    @Test
    void promiseWithoutReportFailsBuildOfAllTests() throws IOException {
        promises("| I1 | One claim. | `ATest.a`, `ATest.b` |\n| S2 | A node. | `BTest.a` |");
        report("csi-node", "ATest", ran("ATest", "a") + ran("ATest", "bc"), START);

        assertThatThrownBy(() -> build("all"))
                .hasMessage("Promise I1 of docs/promises.md is held by ATest.b, which no report shows to have run\n"
                        + "Promise S2 of docs/promises.md is held by BTest.a, which no report shows to have run");
        build("chosen");
    }

    @Test
    void promiseRunsInEachFormOfTest() throws IOException {
        promises("| I1 | One claim. | `ATest.a`, `BTest.a`, `CTest.a`, `DTest.a`, `ETest.a` |");
        report("m", "ATest", ran("ATest", "a(Order)[1]"), START);
        report("m", "BTest", ran("BTest[2]", "a()[1]"), START);
        report("m", "CTest", ran("CTest$Inner", "a"), START);
        report("m", "DTest", skipped("DTest", "a", ROOT), START);
        report("m", "ETest", skipped("ETest", "", ROOT), START);
        build("all");
    }

    @Test
    void pageWithoutPromisesFailsBuild() throws IOException {
        promises("");
        assertThatThrownBy(() -> build("all")).hasMessage("docs/promises.md has no row of a promise");
    }

    @Test
    void brokenReportIsNamed() throws IOException {
        Path broken = report("csi-node", "ATest", "<testcase", START);

        assertThatThrownBy(this::list).isInstanceOf(IOException.class).hasMessageContaining(broken.toString());
    }
}

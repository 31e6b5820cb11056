package io.csi4j.examples.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.MarkedCode;
import io.csi4j.examples.Program;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class LocalVolumeTest {
    private static final Path SOURCE = Path.of("src/main/java/io/csi4j/examples/local/LocalVolume.java");
    private static final String LAST_LINE = "freed and deleted";

    @Test
    void documentationShowsCompiledExample() throws IOException {
        for (String page : List.of("../README.md", "../docs/guide/embed.md")) {
            assertThat(Files.readString(Path.of(page))).as(page).contains(MarkedCode.block(SOURCE));
        }
    }

    /** The check of a release runs this program, and searches its output for this line. */
    @Test
    void releaseCheckExpectsLastLineOfProgram() throws IOException {
        assertThat(Files.readString(Path.of("../release/run"))).contains("grep -qx '" + LAST_LINE + "'");
    }

    @Test
    void exampleProgramStaysSmall() throws IOException {
        List<String> lines = Files.readAllLines(SOURCE);
        assertThat(lines).hasSizeLessThanOrEqualTo(80);
        assertThat(lines.stream().filter(line -> line.startsWith("import "))).hasSizeLessThanOrEqualTo(15);
    }

    @Test
    @Timeout(120)
    void exampleMountsWritesFreesAndDeletesVolume(@TempDir Path temporary) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path directory = Files.createTempDirectory("csi").toRealPath();
        try (Program program = new Program(LocalVolume.class, temporary, line -> {}, directory.toString())) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.out()).contains("written and found at the provider: " + directory.resolve("storage"));
            assertThat(program.out().lines()).endsWith(LAST_LINE);
            assertThat(ProcessMounts.read().under(directory)).isEmpty();
        } finally {
            CallerDirectories.unmountAll(directory);
            CallerDirectories.removeAll(directory);
        }
    }
}

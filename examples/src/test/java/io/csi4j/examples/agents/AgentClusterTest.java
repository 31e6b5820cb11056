package io.csi4j.examples.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.MarkedCode;
import io.csi4j.examples.Program;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class AgentClusterTest {
    private static final Path SOURCES = Path.of("src/main/java/io/csi4j/examples/agents");

    @Test
    void guideShowsCompiledExample() throws IOException {
        String page = Files.readString(Path.of("../docs/guide/embed.md"));
        assertThat(page).contains(MarkedCode.block(SOURCES.resolve("AgentCluster.java")));
        assertThat(page).contains(MarkedCode.block(SOURCES.resolve("RunningNode.java")));
    }

    @Test
    void exampleProgramStaysSmall() throws IOException {
        assertThat(Files.readAllLines(SOURCES.resolve("AgentCluster.java"))).hasSizeLessThanOrEqualTo(120);
        assertThat(Files.readAllLines(SOURCES.resolve("RunningNode.java"))).hasSizeLessThanOrEqualTo(60);
    }

    @Test
    @Timeout(120)
    void volumeMovesToSecondNodeWhenFirstAllocationEnds(@TempDir Path temporary) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path directory = Files.createTempDirectory("csi").toRealPath();
        try (Program program = new Program(AgentCluster.class, temporary, line -> {}, directory.toString())) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.out())
                    .containsSubsequence(
                            "web-2 waits: CLAIMED_ON_OTHER_NODE",
                            "read on node-2: written on node-1",
                            "freed: true",
                            "deleted");
            assertThat(ProcessMounts.read().under(directory)).isEmpty();
        } finally {
            CallerDirectories.unmountAll(directory);
            CallerDirectories.removeAll(directory);
        }
    }
}

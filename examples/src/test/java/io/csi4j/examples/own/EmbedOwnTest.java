package io.csi4j.examples.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.MarkedCode;
import io.csi4j.examples.Program;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Takes more than 20 seconds: the program starts six JVMs. */
class EmbedOwnTest {
    private static final Path SOURCES = Path.of("src/main/java/io/csi4j/examples/own");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ClaimHandler",
                "EmbedOwn",
                "FileLog",
                "HttpNodeGateway",
                "HttpRpc",
                "LocalVolumes",
                "NodeHandlers",
                "OwnNode",
                "OwnServer",
                "ServerCalls"
            })
    void guideShowsCompiledExample(String type) throws IOException {
        assertThat(Files.readString(Path.of("../docs/guide/own-transport.md")))
                .contains(MarkedCode.block(SOURCES.resolve(type + ".java")));
    }

    @Test
    void exampleProgramStaysSmall() throws IOException {
        try (Stream<Path> sources = Files.list(SOURCES)) {
            assertThat(sources.toList())
                    .allSatisfy(source -> assertThat(Files.readAllLines(source)).hasSizeLessThanOrEqualTo(240));
        }
    }

    @Test
    @Timeout(180)
    void restartedServerKnowsClaimAndVolumeMovesToSecondNode(@TempDir Path temporary) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path directory = Files.createTempDirectory("csi").toRealPath();
        try (Program program = new Program(EmbedOwn.class, temporary, line -> {}, directory.toString())) {
            assertThat(program.exitCode()).as(program.out() + program.err()).isZero();
            assertThat(program.out())
                    .containsSubsequence(
                            "after the restart: web-1 on node-1 is TAKEN",
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

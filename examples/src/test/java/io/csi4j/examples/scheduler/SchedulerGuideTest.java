package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.MarkedCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SchedulerGuideTest {
    private static final Path SOURCES = Path.of("src/main/java/io/csi4j/examples/scheduler");

    @Test
    void guideShowsCompiledCode() throws IOException {
        String page = Files.readString(Path.of("../docs/guide/embed.md"));
        assertThat(page).contains(MarkedCode.block(SOURCES.resolve("SchedulerServer.java")));
        assertThat(page).contains(MarkedCode.block(SOURCES.resolve("NodeChoice.java")));
    }

    @Test
    void classesStaySmallEnoughToCopy() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                assertThat(Files.readAllLines(file)).as(file.toString()).hasSizeLessThanOrEqualTo(320);
            }
        }
    }
}

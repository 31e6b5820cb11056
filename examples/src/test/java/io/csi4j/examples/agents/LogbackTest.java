package io.csi4j.examples.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.RequestLog;
import io.csi4j.examples.steps.CallerDirectories;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with SLF4J and Logback behind {@link System.Logger}, and a log file that a second process would truncate. */
class LogbackTest {
    private static final String REQUEST = "DEBUG " + RequestLog.LOGGER + " ";

    @TempDir
    Path temporary;

    private Path directory;

    @BeforeEach
    void makeDirectoryWithShortName() throws Exception {
        directory = Files.createTempDirectory("csi").toRealPath();
    }

    @AfterEach
    void remove() throws Exception {
        CallerDirectories.removeAll(directory);
    }

    /** Runs the program, and returns the lines of its log file. */
    private List<String> run() throws Exception {
        Path log = temporary.resolve("program.log");
        Path configuration = Files.createDirectory(temporary.resolve("configuration"));
        Files.writeString(configuration.resolve("logback.xml"), """
                <configuration>
                  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                    <file>%s</file>
                    <append>false</append>
                    <encoder><pattern>%%level %%logger %%msg%%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="FILE"/></root>
                </configuration>
                """.formatted(log));
        Path output = temporary.resolve("output");
        String classPath = String.join(
                File.pathSeparator,
                System.getProperty("java.class.path"),
                logback() + File.separator + "*",
                configuration.toString());
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        LogbackAgent.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(program.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        assertThat(program.exitValue()).as(Files.readString(output)).isZero();
        return Files.readAllLines(log);
    }

    /** Returns the directory to which the build has copied Logback, beside the classes of the tests. */
    private static Path logback() throws Exception {
        return Path.of(LogbackTest.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolveSibling("logback");
    }

    private static Stream<String> between(List<String> lines, String begin, String end) {
        int first = lines.indexOf("INFO program " + begin);
        int last = end.isEmpty() ? lines.size() : lines.indexOf("INFO program " + end);
        assertThat(first).isNotNegative();
        assertThat(last).isGreaterThan(first);
        return lines.subList(first, last).stream();
    }

    @Test
    void levelSwitchesRequestLogOfRunningAgentAndPluginLeavesLogFileAlone() throws Exception {
        List<String> lines = run();
        assertThat(lines).first().as("%s", lines).isEqualTo("INFO program the agent starts");
        assertThat(between(lines, "the agent starts", "the request log is on"))
                .noneMatch(line -> line.contains(RequestLog.LOGGER));
        assertThat(between(lines, "the request log is on", "the request log is off again"))
                .anyMatch(line -> line.startsWith(REQUEST) && line.contains("GetPluginInfo"));
        assertThat(between(lines, "the request log is off again", "")).noneMatch(line -> line.startsWith(REQUEST));
    }
}

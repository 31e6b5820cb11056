package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunScriptTest {
    private static final Path SCRIPT = Path.of("run").toAbsolutePath();

    @TempDir
    Path elsewhere;

    private record Result(int code, String output) {}

    private Result run(List<String> environment, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(environment);
        command.add(SCRIPT.toString());
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output);
    }

    @ParameterizedTest
    @CsvSource({"--help,0", "-h,0", "help,0", "nothing-like-it,2"})
    void helpAndUnknownProgramListPrograms(String argument, int code) throws Exception {
        Result result = run(List.of(), argument);
        assertThat(result.code()).isEqualTo(code);
        assertThat(result.output())
                .contains(
                        "quickstart",
                        "embed-local",
                        "embed-agents",
                        "embed-own",
                        "lifecycle",
                        "conformance",
                        "simulate");
    }

    @Test
    void scriptWithoutProgramNamePrintsUsage() throws Exception {
        Result result = run(List.of());
        assertThat(result.code()).isEqualTo(2);
        assertThat(result.output()).startsWith("Usage: examples/run PROGRAM");
    }

    @Test
    void missingJavaInstallationIsReportedOnOneLine() throws Exception {
        Result result = run(List.of("JAVA_HOME=/nowhere"), "quickstart");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.output().strip()).contains("no java found").doesNotContain("\n");
    }
}

package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestkitMainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private String started = "";
    private List<String> arguments = List.of();

    private int run(String... args) {
        return TestkitMain.run(
                args,
                rest -> started("plugin", rest, 7),
                rest -> started("conformance", rest, 8),
                print(out),
                print(err));
    }

    private int started(String program, String[] rest, int code) {
        started = program;
        arguments = Arrays.asList(rest);
        return code;
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    @Test
    void firstArgumentChoosesProgramThatGetsTheRest() {
        assertThat(run("plugin", "--version")).isEqualTo(7);
        assertThat(started).isEqualTo("plugin");
        assertThat(arguments).containsExactly("--version");

        assertThat(run("conformance")).isEqualTo(8);
        assertThat(started).isEqualTo("conformance");
        assertThat(arguments).isEmpty();
    }

    @Test
    void unknownOrMissingProgramIsRejectedWithTheListOfPrograms() {
        assertThat(run("plug")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("'plug'", "plugin  ", "conformance  ");
        assertThat(run()).isEqualTo(2);
        assertThat(started).isEmpty();
    }

    @Test
    void helpListsPrograms() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("plugin  ", "conformance  ");
    }
}

package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.capability.FakeCapability;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The arguments of the program. How it serves is tested with real processes. */
class FakePluginMainTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return FakePluginMain.run(
                args,
                null,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void helpTextListsEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(Help.valuedOptions())
                .contains("--list-capabilities", "--exit-on-stdin-eof", "--version", "CSI_ENDPOINT");
        assertThat(errors()).isEmpty();
    }

    @Test
    void capabilitiesAreListedWithTheirDefaults() {
        assertThat(run("--list-capabilities")).isZero();
        String text = out.toString(StandardCharsets.UTF_8);
        for (FakeCapability capability : FakeCapability.values()) {
            assertThat(text)
                    .containsPattern("(?m)^" + capability + " .* "
                            + (FakeCapability.defaults().contains(capability) ? "on" : "off") + "$");
        }
    }

    static Stream<org.junit.jupiter.params.provider.Arguments> wrong() {
        String ok = "--endpoint=unix:///tmp/x.sock";
        return Stream.of(
                arguments("no endpoint"),
                arguments("unknown argument '--nonsense'", ok, "--nonsense"),
                arguments("unknown argument 'word'", ok, "word"),
                arguments("--node-id needs a value", ok, "--node-id"),
                arguments("--help takes no value", ok, "--help=me"),
                arguments("--capacity '10X' is no size", ok, "--capacity", "10X"),
                arguments("--capacity '0' is no size", ok, "--capacity", "0"),
                arguments("--capacity '99999999Ti' is no size", ok, "--capacity", "99999999Ti"),
                arguments("--segment-capacity '10Gi' must be key=value:SIZE", ok, "--segment-capacity", "10Gi"),
                arguments("'zone' must be key=value", ok, "--segment-capacity", "zone:10Gi"),
                arguments("size in --segment-capacity '-1' is no size", ok, "--segment-capacity", "zone=a:-1"),
                arguments("value of 'zone' must be", ok, "--segment-capacity", "zone=-:1"),
                arguments("--size-unit '0' is no size", ok, "--size-unit", "0"),
                arguments("--inline-limit '-1'", ok, "--inline", "a", "--inline-limit", "-1"),
                arguments("inlineLimit needs inlineVolumes", ok, "--inline-limit", "1"),
                arguments(
                        "inlineVolumes excludes [CONTROLLER_SERVICE]",
                        ok,
                        "--enable",
                        "controller_service",
                        "--inline",
                        "a"),
                arguments("--attach-limit '-1'", ok, "--attach-limit", "-1"),
                arguments("--topology 'zone' must be key=value", ok, "--topology", "zone"),
                arguments("must be 'controller', 'node'", ok, "--services", "all"),
                arguments("--csi-version '2' must be", ok, "--csi-version", "2"),
                arguments("--disable 'flying' is no capability", ok, "--disable", "flying"),
                arguments("exclude each other", ok, "--enable", "offline_expansion"),
                arguments("name 'a_b'", ok, "--name", "a_b"),
                arguments("is no Unix socket", "--endpoint", "tcp://localhost:1"),
                arguments("no absolute path", "--endpoint", "unix://relative.sock"),
                arguments("must end with .sock", "--endpoint", "unix:///tmp/x"),
                arguments("a Unix socket can have 107", "--endpoint", "unix:///tmp/" + "x".repeat(100) + ".sock"));
    }

    private static org.junit.jupiter.params.provider.Arguments arguments(String message, String... args) {
        return org.junit.jupiter.params.provider.Arguments.of(message, args);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void wrongArgumentsPrintOneLineAndExitWith2(String message, String[] args) {
        assertThat(run(args)).isEqualTo(2);
        assertThat(errors().strip()).contains(message).doesNotContain("\n").startsWith("csi4j fake plugin: ");
        assertThat(out.size()).isZero();
    }

    @Test
    void regularFileAtSocketPathIsNotReplaced() throws Exception {
        Path file = Files.writeString(directory.resolve("precious.sock"), "data");
        assertThat(run("--endpoint", "unix://" + file)).isEqualTo(1);
        assertThat(errors()).contains("no socket").contains("move it away");
        assertThat(file).hasContent("data");
    }

    @Test
    void missingSocketDirectoryIsReportedWithExitCode1() {
        assertThat(run("--endpoint", "unix://" + directory + "/missing/p.sock")).isEqualTo(1);
        assertThat(errors()).contains("its directory does not exist");
    }

    @ParameterizedTest
    @CsvSource({"1,1", "10K,10000", "10Ki,10240", "3m,3000000", "2Gi,2147483648", "1T,1000000000000"})
    void sizesAcceptUnits(String text, long bytes) {
        assertThat(Size.parse("--capacity", text)).isEqualTo(bytes);
    }
}

package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.FakeCsiPlugin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConformanceMainTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return ConformanceMain.run(List.of(args), printer(out), printer(err), signals -> {});
    }

    private static PrintStream printer(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private int runOnFake(String... more) {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build()) {
            plugin.startOn("unix://" + directory.resolve("p.sock"));
            List<String> args =
                    new ArrayList<>(List.of("--endpoint", plugin.endpoint(), "--work-dir", directory.toString()));
            args.addAll(List.of(more));
            return run(args.toArray(String[]::new));
        }
    }

    @Test
    void passedChecksExitWithZeroAndPrintOneLineEach() {
        assertThat(runOnFake("--only", "create.same-name,delete.twice")).isZero();
        assertThat(output())
                .containsPattern("passed +create.same-name ")
                .containsPattern("passed +delete.twice ")
                .contains("0 failed in");
    }

    @Test
    void failedCheckExitsWithOneAndQuotesSpecification() {
        // A volume that the fake does not know, in place of a created one.
        assertThat(runOnFake("--volume-id", "nowhere", "--only", "walk.lifecycle"))
                .isEqualTo(1);
        assertThat(output())
                .contains("FAILED walk.lifecycle")
                .contains("ValidateVolumeCapabilities answered NOT_FOUND and must succeed here")
                .contains("the plugin's message: volume 'nowhere' does not exist")
                .contains("MUST R42: CSI, Service Capabilities:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--only create",
                "--endpoint tcp://1.2.3.4:5",
                "--endpoint /x.sock --nothing",
                "--endpoint /x.sock --size many",
                "--endpoint /x.sock --only no-such-check",
                "--endpoint /x.sock --report pdf",
                "--endpoint /x.sock --timeout soon",
                "--endpoint /x.sock --access-mode RW",
                "--endpoint /x.sock --parameters novalue",
                "--endpoint"
            })
    void wrongArgumentsExitWithTwoAndOneLine(String args) {
        assertThat(run(args.split(" ", -1))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip())
                .startsWith("csi-conformance: ")
                .doesNotContain("\n");
    }

    @Test
    void runWithMissingPluginExitsWithThree() {
        assertThat(run("--endpoint", "unix://" + directory.resolve("nothing.sock")))
                .isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("there is no socket at ");
    }

    @Test
    void helpAndListExitWithZero() {
        assertThat(run("--help")).isZero();
        assertThat(run("--list")).isZero();
        assertThat(output()).contains("--restart-command").contains("second-publish.same-target");
    }

    @Test
    void interruptedRunCleansUpAndExitsWith130() {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build()) {
            plugin.startOn("unix://" + directory.resolve("p.sock"));
            List<CompletableFuture<Void>> interrupted = new ArrayList<>();
            int code = ConformanceMain.run(
                    List.of("--endpoint", plugin.endpoint(), "--work-dir", directory.toString()),
                    printer(out),
                    printer(err),
                    run -> interrupted.add(CompletableFuture.runAsync(run::interrupt)));
            interrupted.forEach(CompletableFuture::join);
            assertThat(code).isEqualTo(130);
            assertThat(output()).contains("; interrupted");
            assertThat(plugin.storage().volumeIds()).isEmpty();
        }
    }

    @Test
    void reportsAreWrittenWithEscapedTexts() throws IOException {
        assertThat(runOnFake("--only", "identity", "--report", "html,junit", "--report-dir", directory.toString()))
                .isZero();
        assertThat(Files.readString(directory.resolve("csi-conformance.html")))
                .startsWith("<!DOCTYPE html>")
                .contains("identity.probe")
                .doesNotContain("http://")
                .doesNotContain("https://")
                .doesNotContain("<script");
        assertThat(Files.readString(directory.resolve("TEST-csi-conformance.xml")))
                .contains("<testsuite ")
                .contains("identity.probe");
    }

    @Test
    void secretsAreSentToPluginAndNeverShown() throws IOException {
        Path secrets = Files.writeString(directory.resolve("secrets"), """
                # for all calls
                user=the-s3cret-user
                CreateVolumeSecret:
                  password: "the-s3cret-password"
                """);
        assertThat(runOnFake(
                        "--only",
                        "create.same-name",
                        "--steps",
                        "--secrets-file",
                        secrets.toString(),
                        "--report",
                        "html",
                        "--report-dir",
                        directory.toString()))
                .isZero();
        String html = Files.readString(directory.resolve("csi-conformance.html"));
        assertThat(html).contains("secrets: [password=(hidden)]").contains("secrets: [user=(hidden)]");
        assertThat(html + output()).doesNotContain("s3cret");
    }

    @Test
    void configuredRestartCommandIsExecuted() {
        assertThat(runOnFake("--only", "restart.serves-again", "--restart-command", "true"))
                .isZero();
        assertThat(output()).containsPattern("passed +restart.serves-again");
    }

    @Test
    void failedRestartCommandIsShownWithItsOutputButWithoutSecrets() throws IOException {
        Path secrets = Files.writeString(directory.resolve("secrets"), "password=the-s3cret\n");
        assertThat(runOnFake(
                        "--only",
                        "restart.serves-again",
                        "--secrets-file",
                        secrets.toString(),
                        "--restart-command",
                        "echo no unit for the-s3cret; exit 7"))
                .isEqualTo(1);
        assertThat(output())
                .contains("this machine failed: ")
                .contains("the restart command ended with exit code 7")
                .contains("its last output: no unit for ")
                .doesNotContain("s3cret");
    }

    private static String fakePlugin(String options) {
        return "exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "' io.csi4j.testkit.cli.FakePluginMain " + options;
    }

    @Test
    void pluginStartedByKitIsRestartedAfterItsDeathAndItsOutputIsShown() throws IOException {
        Path faults = Files.writeString(directory.resolve("faults"), "on ListVolumes times 1 crash before\n");
        Path socket = directory.resolve("p.sock");
        int code = run(
                "--endpoint",
                "unix://" + socket,
                "--work-dir",
                directory.toString(),
                "--plugin-command",
                fakePlugin("--faults " + faults),
                "--only",
                "list.values,get-volume.unknown,delete.unknown");
        assertThat(output())
                .contains("FAILED list.values")
                .contains("the plugin died in this check, during ListVolumes, and the kit has restarted it")
                .contains("the plugin printed:")
                .contains("(the plugin's process ended with exit code 137)")
                .contains("1 failed in");
        assertThat(code).isEqualTo(1);
        assertThat(PluginCommand.listens(socket)).isFalse();
    }

    @Test
    void pluginThatEndsAtOnceIsReportedWithItsOutput() {
        assertThat(run(
                        "--endpoint",
                        "unix://" + directory.resolve("p.sock"),
                        "--plugin-command",
                        // Many lines, so that the kit still reads them when the process has ended.
                        "head -c 60000 /dev/zero | tr '\\0' '\\n'; echo no licence for $CSI_ENDPOINT; exit 7"))
                .isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("the plugin ended before it listened on")
                .contains("no licence for unix://" + directory.resolve("p.sock"))
                .contains("exit code 7");
    }

    @Test
    void workDirectoryThatCannotBeMadeExitsWithTwo() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(run("--endpoint", "unix://" + directory.resolve("p.sock"), "--work-dir", file + "/below"))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("choose another --work-dir");
    }
}

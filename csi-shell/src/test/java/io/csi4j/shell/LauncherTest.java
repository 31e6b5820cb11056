package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one file that an operator runs: the launcher with a jar behind it, as a process. */
class LauncherTest {
    @TempDir
    Path directory;

    private Path file = Path.of("");

    @BeforeEach
    void makeOneFile() throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, Csi.class.getName());
        attributes.put(
                Attributes.Name.CLASS_PATH,
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(Files.readAllBytes(Path.of("csi")));
        new JarOutputStream(bytes, manifest).close();
        file = Files.write(directory.resolve("csi"), bytes.toByteArray());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private record Result(int code, String output, String errors) {}

    private Result run(Map<String, String> environment, String input, String... command) throws Exception {
        Path errors = directory.resolve("errors");
        Path in = Files.writeString(directory.resolve("input"), input);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(errors.toFile()).redirectInput(in.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CSI_") || name.equals("COLUMNS"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HOME", directory.toString());
        builder.environment().put("XDG_CONFIG_HOME", "");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output, Files.readString(errors));
    }

    private Result csi(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(file.toString()));
        command.addAll(List.of(arguments));
        return run(environment, "", command.toArray(String[]::new));
    }

    @Test
    void processPrintsAndExitsWithItsCode() throws Exception {
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.volumes(3);
            Map<String, String> address = Map.of("CSI_ADDRESS", rig.admin.uri().toString());
            Result list = csi(address, "volume", "list");
            assertThat(list).extracting(Result::code, Result::errors).containsExactly(0, "");
            assertThat(list.output().lines()).hasSize(4);
        }
        assertThat(csi(Map.of(), "volume", "list").code()).isEqualTo(Csi.USAGE);
        Result unreachable = csi(Map.of(), "volume", "list", "--address", "unix:/nowhere", "--timeout", "0");
        assertThat(unreachable.code()).isEqualTo(Csi.UNREACHABLE);
        assertThat(unreachable.errors()).startsWith("csi: no server serves the request\n  unix:/nowhere: ");
    }

    @Test
    void longListNeedsLittleMemory() throws Exception {
        String item = "{\"namespace\":\"default\",\"volume\":\"" + "v".repeat(150) + "\"}";
        byte[] items = (item + ",\n").repeat(1000).getBytes(StandardCharsets.US_ASCII);
        try (FakeServer server = FakeServer.of(out -> {
            out.write("HTTP/1.1 200 x\r\nContent-Type: application/json\r\n\r\n{\"index\":1,\"items\":["
                    .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 200; i++) {
                out.write(items);
            }
            out.write((item + "]}").getBytes(StandardCharsets.US_ASCII));
        })) {
            Result list = csi(
                    Map.of("CSI_ADDRESS", server.address(), "JDK_JAVA_OPTIONS", "", "CSI_JAVA_OPTIONS", "-Xmx16m"),
                    "volume",
                    "list",
                    "--json");
            assertThat(list.code()).as(list.errors()).isZero();
            assertThat(list.output().lines().filter(line -> line.startsWith("{\"namespace")))
                    .hasSize(200_001);
        }
    }

    @Test
    void terminalGetsATableOfItsWidthAndColors() throws Exception {
        assumeTrue(exists("script"), "needs script of util-linux");
        try (AdminRig rig = new AdminRig(UnaryOperator.identity())) {
            rig.volumes("v".repeat(100), 1);
            String list = "stty cols 80 rows 20; '" + file + "' volume list --address " + rig.admin.uri();
            Result shown = run(Map.of("TERM", "xterm"), "", "script", "-qec", list, "/dev/null");
            assertThat(shown.code()).isZero();
            assertThat(shown.output()).contains("\u001b[1mNAMESPACE", "vvv…", "10.0 GiB");
            assertThat(shown.output()
                            .replaceAll("\u001b\\[[0-9]*m", "")
                            .replace("\r", "")
                            .lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(Text.width(line)).isLessThanOrEqualTo(80));
            Result plain = run(Map.of("TERM", "xterm", "NO_COLOR", "1"), "", "script", "-qec", list, "/dev/null");
            assertThat(plain.output()).contains("NAMESPACE").doesNotContain("\u001b");
        }
    }

    private static boolean exists(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    @Test
    void missingJavaIsNamed() throws Exception {
        Result result = csi(Map.of("JAVA_HOME", directory.resolve("nowhere").toString()), "--version");
        assertThat(result.errors()).contains("no Java found; install a JRE, 17 or newer");
        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void launcherWithoutJarSaysHowToBuildIt() throws Exception {
        Path script = Files.copy(Path.of("csi"), directory.resolve("script"));
        Result result = run(Map.of(), "", script.toString(), "--version");
        assertThat(result.errors()).contains("not built yet; run: mvn ");
        assertThat(result.code()).isEqualTo(2);
        Path built = Files.createDirectories(directory.resolve("target")).resolve("csi");
        Files.copy(file, built);
        assertThat(run(Map.of(), "", script.toString(), "--version").output()).startsWith("csi ");
    }

    @Test
    void bashCompletesCommands() throws Exception {
        Path completion = Files.writeString(
                directory.resolve("completion"),
                csi(Map.of(), "completion", "bash").output());
        String complete =
                "compopt() { :; }; source '" + completion + "'; COMP_WORDS=(csi volume list --pre); COMP_CWORD=3;"
                        + " COMP_LINE='csi volume list --pre'; COMP_POINT=21; _complete_csi; echo \"${COMPREPLY[@]}\"";
        Result result = run(Map.of(), "", "bash", "-c", complete);
        assertThat(result.errors()).isEmpty();
        assertThat(result.output().strip()).isEqualTo("--prefix");
    }

    @Test
    void zshCompletesCommandsAndValues() throws Exception {
        assumeTrue(exists("zsh"), "needs zsh");
        Path completion = Files.writeString(
                directory.resolve("completion"),
                csi(Map.of(), "completion", "zsh").output());
        // A zsh at a terminal of its own. Each read waits for a text that its input does not have.
        String session = ""
                + "zmodload zsh/zpty\n"
                + "zpty t 'zsh -f -i'\n"
                + "zpty -w t \"csi() { :; }; source '" + completion + "'; echo LOA''DED \\$?\"\n"
                + "zpty -r -m t text '*LOADED 0*'\n"
                + "zpty -n -w t $'csi volume li\\t'\n"
                + "zpty -r -m t text '*volume list*'\n"
                + "zpty -n -w t $'--phase AV\\t'\n"
                + "zpty -r -m t text '*--phase AVAILABLE*'\n"
                + "print completed\n"
                + "zpty -d t\n";
        Result result = run(Map.of("TERM", "dumb"), "", "timeout", "60", "zsh", "-f", "-c", session);
        assertThat(result.errors()).isEmpty();
        assertThat(result.output()).isEqualTo("completed\n");
        assertThat(result.code()).isZero();
    }

    @Test
    void manualPageIsFormatted() throws Exception {
        assumeTrue(exists("groff"), "needs groff");
        Path page = Files.writeString(
                directory.resolve("csi.1"), csi(Map.of(), "man").output());
        Result result = run(Map.of(), "", "groff", "-man", "-Tascii", "-ww", "-rLL=200n", "-P-c", page.toString());
        assertThat(result.errors()).isEmpty();
        assertThat(result.output().replaceAll(".\b", "")).contains("csi volume list", "--prefix PREFIX", "EXIT STATUS");
    }
}

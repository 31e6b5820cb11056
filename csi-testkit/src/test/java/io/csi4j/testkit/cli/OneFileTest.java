package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one file that a user without a build runs: a script with a jar behind it. */
class OneFileTest {
    private static final Path SCRIPT = Path.of("src/kit/csi-conformance.sh");

    @TempDir
    Path directory;

    private Path file = Path.of("");

    @BeforeEach
    void makeOneFile() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, TestkitMain.class.getName());
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(Files.readAllBytes(SCRIPT));
        new JarOutputStream(bytes, manifest).close();
        file = Files.write(directory.resolve("csi-conformance"), bytes.toByteArray());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private record Result(int code, String output) {}

    private Result run(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(file.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("JAVA_HOME");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output);
    }

    private static Map<String, String> realJava() {
        return Map.of("JAVA_HOME", System.getProperty("java.home"));
    }

    @Test
    void fileRunsConformanceKit() throws Exception {
        Result list = run(realJava(), "--list");
        assertThat(list.output()).contains("create.same-name ");
        assertThat(list.code()).isZero();
    }

    @Test
    void fileRunsFakePlugin() throws Exception {
        assertThat(run(realJava(), "plugin", "--list-capabilities").output()).contains("CREATE_DELETE_VOLUME");
    }

    @Test
    void missingSocketIsNamedAndExitsWithThree() throws Exception {
        Result result = run(
                realJava(), "--endpoint", "unix://" + directory.resolve("no.sock"), "--work-dir", directory.toString());
        assertThat(result.output()).contains("there is no socket at ");
        assertThat(result.code()).isEqualTo(3);
    }

    @Test
    void missingJavaIsNamed() throws Exception {
        Result result = run(Map.of("JAVA_HOME", directory.resolve("nowhere").toString()), "--list");
        assertThat(result.output()).contains("no Java found; install a JRE, 17 or newer");
        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void tooOldJavaIsNamed() throws Exception {
        Path java = Files.createDirectories(directory.resolve("old/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho '    java.specification.version = 11' >&2\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Result result = run(Map.of("JAVA_HOME", directory.resolve("old").toString()), "--list");
        assertThat(result.output()).contains("needs Java 17 or newer").contains("is Java 11");
        assertThat(result.code()).isEqualTo(2);
    }
}

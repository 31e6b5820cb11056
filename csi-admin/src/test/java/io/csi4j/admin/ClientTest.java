package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import jakarta.annotation.Nonnull;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that a generator makes from the committed description, with a program that uses it. The build runs the generator. */
class ClientTest {
    private static final Path PROGRAM = Path.of("src/test/resources/client/ClientProgram.java");

    @Test
    void programWithGeneratedClientReadsAndActs(@TempDir Path classes) throws Exception {
        assertThat(generated())
                .as("the generated client; run the test with Maven, which generates it, and without -DskipTests")
                .isDirectory();
        compile(classes);
        try (AdminRig rig = new AdminRig();
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {classes.toUri().toURL()}, ClientTest.class.getClassLoader())) {
            rig.node("n1", AdminRig.DISK);
            for (int i = 1; i <= 5; i++) {
                rig.volume(AdminRig.key("db-" + i));
            }
            rig.done(rig.claim("a1", "n1", AdminRig.key("db-1")));
            Object seen = loader.loadClass("ClientProgram")
                    .getMethod("run", String.class)
                    .invoke(null, rig.admin.uri().toString().replaceFirst("/$", ""));
            long index = rig.store
                    .snapshot()
                    .volume(AdminRig.key("db-1"))
                    .orElseThrow()
                    .createIndex();
            assertThat(seen)
                    .isEqualTo(List.of(
                            "db-1 AVAILABLE 10737418240",
                            "db-2 AVAILABLE 10737418240",
                            "db-3 AVAILABLE 10737418240",
                            "db-4 AVAILABLE 10737418240",
                            "db-5 AVAILABLE 10737418240",
                            "claims of db-1: a1 since index " + index,
                            "n1 READY",
                            "none: 404 true",
                            "operations: volume recheck",
                            "expand: 400"));
        }
    }

    /** Returns the directory beside the classes of the tests, in which the build has generated the client. */
    private static Path generated() throws Exception {
        return Path.of(ClientTest.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolveSibling("client")
                .resolve("src/main/java");
    }

    private static void compile(Path classes) throws Exception {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "the tests need a JDK");
        List<Path> sources = new ArrayList<>(List.of(PROGRAM));
        try (Stream<Path> files = Files.walk(generated())) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
        String path = Stream.of(
                        ObjectMapper.class, JsonParser.class, JsonProperty.class, JavaTimeModule.class, Nonnull.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(System.getProperty("path.separator")));
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            problems,
                            files,
                            null,
                            List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp", path),
                            null,
                            files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as("%s", problems).isTrue();
        }
    }
}

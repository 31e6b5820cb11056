package io.csi4j.examples.modular;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compiles and starts a program with a module descriptor, as {@code docs/compatibility.md} says. */
class ModularProgramTest {
    /** Jars that cannot be modules, because their descriptor is not theirs or they share packages; and those that only they use. */
    private static final Pattern NO_MODULES =
            Pattern.compile("(grpc-netty-shaded|ratis-[a-z-]+|slf4j-[a-z0-9-]+)-[0-9].*");

    /** The jars that tests have beside those of a program. */
    private static final Pattern OF_TESTS = Pattern.compile(
            "(junit|assertj|opentest4j|apiguardian|byte-buddy|mockito|objenesis|picocli|surefire).*|(test-)?classes");

    private static final Pattern OF_TESTS_ONLY = Pattern.compile(
            "(junit|assertj|opentest4j|apiguardian|byte-buddy|mockito|objenesis|picocli|surefire).*|test-classes");

    private static final Path SOURCES = Path.of("src/test/modular");

    @TempDir
    Path directory;

    @Test
    void programWithModuleDescriptorUsesEachModule() throws Exception {
        List<String> modules = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String name = Path.of(entry).getFileName().toString();
            boolean own = Files.exists(Path.of(entry, "module-info.class"));
            if (NO_MODULES.matcher(name).matches()) {
                others.add(entry);
            } else if (own || !OF_TESTS.matcher(name).matches()) {
                modules.add(entry);
            }
        }
        Path classes = directory.resolve("modular");
        compile(modules, others, classes);
        modules.add(classes.toString());

        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("--module-path", path(modules), "--class-path", path(others)));
        command.addAll(List.of("--module", "modular/modular.Program"));
        command.add(directory.toRealPath().resolve("data").toString());
        Path output = directory.resolve("output");
        int exit = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();

        assertThat(Files.readAllLines(output))
                .as("exit code %s", exit)
                .contains("plugin fake.csi4j.io", "created default/db")
                .contains(
                        "module io.csi4j.core described",
                        "module io.csi4j.client described",
                        "module io.csi4j.agent described",
                        "module io.csi4j.replication.ratis described",
                        "module io.csi4j.server described",
                        "module io.csi4j.testkit described",
                        "module io.csi4j.admin described",
                        "module io.csi4j.micrometer described");
        assertThat(exit).isZero();
    }

    /** The descriptor of a library requires nothing that its pom does not bring at run time. */
    @ParameterizedTest
    @CsvSource({
        "io.csi4j.client, grpc-inprocess-.*",
        "io.csi4j.node, grpc-inprocess-.*",
        "io.csi4j.agent, grpc-inprocess-.*",
        "io.csi4j.server, grpc-inprocess-.*",
        "io.csi4j.replication.ratis, grpc-inprocess-.*",
        "io.csi4j.replication.jdbc, (grpc|guava|failureaccess|caffeine|failsafe|HikariCP|postgresql|h2)-.*",
        "io.csi4j.state, (grpc|guava|failureaccess|caffeine|failsafe)-.*",
    })
    void moduleIsResolvedWithoutJarsThatItDoesNotBring(String module, String missing) {
        Path[] path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(entry -> Files.exists(entry.resolve("module-info.class"))
                        || entry.toString().endsWith(".jar"))
                .filter(entry -> {
                    String name = entry.getFileName().toString();
                    return !NO_MODULES.matcher(name).matches()
                            && !OF_TESTS_ONLY.matcher(name).matches()
                            && !name.matches(missing);
                })
                .toArray(Path[]::new);
        Configuration resolved =
                ModuleLayer.boot().configuration().resolve(ModuleFinder.of(path), ModuleFinder.of(), Set.of(module));
        assertThat(resolved.findModule(module)).isPresent();
    }

    private static void compile(List<String> modules, List<String> others, Path classes) throws Exception {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Iterable<? extends JavaFileObject> sources = files.getJavaFileObjects(
                    SOURCES.resolve("module-info.java"), SOURCES.resolve("modular/Program.java"));
            StringWriter messages = new StringWriter();
            List<String> options = Arrays.asList(
                    "-d", classes.toString(), "--module-path", path(modules), "--class-path", path(others));
            boolean done = compiler.getTask(messages, files, null, options, null, sources)
                    .call();
            assertThat(done).as(messages.toString()).isTrue();
        }
    }

    private static String path(List<String> entries) {
        return entries.stream().collect(Collectors.joining(File.pathSeparator));
    }
}

package io.csi4j.examples.javadoc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The examples of the Javadoc are code of a test, so that the build compiles them. Most of them stand in {@link PackageExamples}; the test of a
 * module may have its own.
 */
class PackageExamplesTest {
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code(.*?)\\}</pre>", Pattern.DOTALL);
    private static final Path ROOT = Path.of("..");

    @Test
    void everyJavadocExampleIsCopiedFromTest() throws IOException {
        String tests = sources("src/test/java").stream()
                .map(file -> squeezed(read(file)))
                .collect(Collectors.joining("\n"));
        TreeMap<String, String> missing = new TreeMap<>();
        int count = 0;
        for (Path file : api()) {
            Matcher examples = EXAMPLE.matcher(read(file).replaceAll("(?m)^ *\\* ?", ""));
            while (examples.find()) {
                count++;
                if (!tests.contains(squeezed(examples.group(1)))) {
                    missing.put(file.toString(), examples.group(1));
                }
            }
        }
        assertThat(count).isGreaterThan(25);
        assertThat(missing).isEmpty();
    }

    @Test
    void everyApiPackageDocumentationHasConceptExampleAndGlossary() throws IOException {
        List<String> incomplete = api().stream()
                .filter(file -> file.endsWith("package-info.java"))
                .filter(file ->
                        !read(file).contains("<pre>{@code") || !read(file).contains("docs/GLOSSARY.md"))
                .map(Path::toString)
                .sorted()
                .toList();
        assertThat(incomplete).isEmpty();
    }

    private static List<Path> api() throws IOException {
        return sources("src/main/java").stream()
                .filter(file -> !file.toString().contains("/internal/"))
                .toList();
    }

    private static List<Path> sources(String folder) throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.filter(module -> Files.exists(module.resolve("pom.xml")))
                    .map(module -> module.resolve(folder))
                    .filter(Files::isDirectory)
                    .filter(path -> path.toString().contains("csi-") || folder.contains("test"))
                    .flatMap(PackageExamplesTest::javaFiles)
                    .toList();
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String squeezed(String code) {
        return code.replaceAll("\\s", "");
    }
}

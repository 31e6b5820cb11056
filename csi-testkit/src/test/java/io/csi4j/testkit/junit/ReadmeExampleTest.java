package io.csi4j.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keeps the examples of the README equal to code that is compiled and run: the tests whose names end with Example. */
class ReadmeExampleTest {
    private static final String MARK = "// DOCS\n";
    private static final Path TESTS = Path.of("src/test/java/io/csi4j/testkit");

    /** Returns the parts of a source between the marks, without their common indentation. */
    private static List<String> examples(Path source) throws Exception {
        String[] parts = Files.readString(source).split("[ ]*" + MARK, -1);
        List<String> examples = new ArrayList<>();
        for (int i = 1; i < parts.length; i += 2) {
            examples.add(parts[i].stripTrailing().stripIndent().strip());
        }
        return examples;
    }

    @ParameterizedTest
    @ValueSource(strings = {"junit/SchedulerExampleTest.java", "FaultsExampleTest.java", "ProcessExampleTest.java"})
    void readmeHasEachExampleAsItRuns(String source) throws Exception {
        List<String> examples = examples(TESTS.resolve(source));
        assertThat(examples).isNotEmpty();
        assertThat(Files.readString(Path.of("README.md"))).contains(examples);
        assertThat(source.toLowerCase(Locale.ROOT)).endsWith("exampletest.java");
    }
}

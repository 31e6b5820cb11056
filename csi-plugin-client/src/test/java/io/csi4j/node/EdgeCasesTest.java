package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of edge cases is complete, and each test it names is there. */
class EdgeCasesTest {
    private static final int CASES = 105;
    private static final int WEAKNESSES = 42;

    /** One line of the table. */
    private record Row(String number, String meaning, List<String> tests) {
        boolean excepted() {
            return meaning.startsWith("- ") || tests.stream().anyMatch(test -> test.startsWith("- "));
        }
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        try (var table = EdgeCasesTest.class.getResourceAsStream("edge-cases.tsv")) {
            for (String line : new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList()) {
                String[] columns = line.split("\t", -1);
                assertThat(columns.length).as(line).isBetween(2, 3);
                String tests = columns.length == 3 ? columns[2] : "";
                rows.add(new Row(
                        columns[0],
                        columns[1],
                        tests.isEmpty()
                                ? List.of()
                                : tests.startsWith("- ") ? List.of(tests) : List.of(tests.split(",", -1))));
            }
        }
        return rows;
    }

    /** The sources of all tests, by class. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> found = new HashMap<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.map(path -> path.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    for (Path file : files.filter(path -> path.toString().endsWith("Test.java"))
                            .toList()) {
                        String name = file.getFileName().toString();
                        found.merge(
                                name.substring(0, name.length() - ".java".length()),
                                Files.readString(file),
                                String::concat);
                    }
                }
            }
        }
        return found;
    }

    @Test
    void everyCaseHasATestOrAReason() throws IOException {
        List<Row> rows = rows();
        assertThat(rows)
                .extracting(Row::number)
                .containsExactlyElementsOf(Stream.concat(
                                IntStream.rangeClosed(1, CASES).mapToObj(String::valueOf),
                                IntStream.rangeClosed(1, WEAKNESSES).mapToObj(number -> "w" + number))
                        .toList());
        assertThat(rows)
                .allSatisfy(row -> assertThat(row.tests().isEmpty() && !row.excepted())
                        .as("%s has neither", row)
                        .isFalse());
        assertThat(rows.stream().filter(Row::excepted)).hasSizeLessThan(10);
    }

    @Test
    void everyTestThatIsNamedIsThere() throws IOException {
        Map<String, String> sources = sources();
        List<String> missing = new ArrayList<>();
        for (Row row : rows()) {
            for (String test :
                    row.tests().stream().filter(each -> !each.startsWith("- ")).toList()) {
                String[] parts = test.split("#", -1);
                Pattern method = Pattern.compile(
                        "@(Parameterized)?Test\\b(?:(?!\\bvoid\\b)[\\s\\S])*+void " + Pattern.quote(parts[1]) + "\\(");
                if (!method.matcher(sources.getOrDefault(parts[0], "")).find()) {
                    missing.add(row.number() + ": " + test);
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(sources.size()).isGreaterThan(50);
    }
}

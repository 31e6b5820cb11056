package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The list of edge cases is complete, and every test it names is a test. */
class EdgeCasesTest {
    private static final String ELSEWHERE = "not here: ";

    private record Row(String number, String meaning, String tests) {}

    private static List<Row> rows() throws IOException {
        try (InputStream in = EdgeCasesTest.class.getResourceAsStream("edge-cases.tsv")) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> {
                        String[] cells = line.split("\t", -1);
                        assertThat(cells).as(line).hasSize(3);
                        return new Row(cells[0], cells[1], cells[2]);
                    })
                    .toList();
        }
    }

    @Test
    void everyNumberIsThereWithWhatItMeans() throws IOException {
        List<String> numbers = Stream.of(range(1, 35), range(56, 62), range(72, 78), range(89, 106), range(117, 120))
                .flatMap(range -> range.mapToObj(String::valueOf))
                .toList();
        List<String> all = new ArrayList<>(numbers);
        "ABCDEFGHIJ".chars().mapToObj(Character::toString).forEach(all::add);
        assertThat(rows()).extracting(Row::number).containsExactlyElementsOf(all);
        assertThat(rows()).extracting(Row::meaning).doesNotHaveDuplicates().noneMatch(String::isBlank);
    }

    private static IntStream range(int first, int last) {
        return IntStream.rangeClosed(first, last);
    }

    @Test
    void everyTestIsThereAndRuns() throws IOException {
        List<String> absent = new ArrayList<>();
        int named = 0;
        for (Row row : rows()) {
            if (row.tests.startsWith(ELSEWHERE)) {
                assertThat(row.tests).as(row.number).hasSizeGreaterThan(ELSEWHERE.length() + 20);
                continue;
            }
            for (String test : row.tests.split(" ", -1)) {
                named++;
                if (!isTest(test)) {
                    absent.add(row.number + ": " + test);
                }
            }
        }
        assertThat(absent).isEmpty();
        assertThat(named).isGreaterThan(100);
        assertThat(rows().stream().filter(row -> row.tests.startsWith(ELSEWHERE)))
                .as("few are nobody's business here")
                .hasSizeLessThan(6);
    }

    private static boolean isTest(String name) {
        String[] parts = name.split("#", -1);
        try {
            Class<?> type = Class.forName("io.csi4j." + parts[0], false, EdgeCasesTest.class.getClassLoader());
            return parts.length == 2 && Stream.of(type.getDeclaredMethods()).anyMatch(method -> runs(method, parts[1]));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static boolean runs(Method method, String name) {
        return method.getName().equals(name)
                && (method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class))
                && !method.isAnnotationPresent(Disabled.class);
    }

    @Test
    void aNameThatIsNoTestIsFound() {
        assertThat(isTest("state.EdgeCasesTest#everyTestIsThereAndRuns")).isTrue();
        assertThat(isTest("state.EdgeCasesTest#rows")).isFalse();
        assertThat(isTest("state.EdgeCasesTest#noSuchTest")).isFalse();
        assertThat(isTest("state.NoSuchTest#everyTestIsThereAndRuns")).isFalse();
        assertThat(isTest("state.EdgeCasesTest")).isFalse();
    }
}

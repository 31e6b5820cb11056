package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of cases that claims, releases and placement have to get right: each has a test, and that test is there. */
class CasesTest {
    private static final List<String> MODULES = List.of("csi-core", "csi-state", "csi-testkit", "csi-simulation");

    private record Case(String name, String meaning, String tests) {}

    private static List<Case> cases() throws IOException {
        try (InputStream in = CasesTest.class.getResourceAsStream("cases.tsv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t", -1))
                    .map(parts -> new Case(parts[0], parts[1], parts[2]))
                    .toList();
        }
    }

    private static Optional<String> source(String type) {
        return MODULES.stream()
                .map(module -> Path.of("..", module, "src/test/java", type.replace('.', '/') + ".java"))
                .filter(Files::exists)
                .map(CasesTest::read)
                .findFirst();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyCaseInCaseListRefersToExistingTests() throws IOException {
        for (Case one : cases()) {
            assertThat(one.meaning()).as("case %s", one.name()).isNotBlank();
            if (one.tests().startsWith("not here: ")) {
                assertThat(one.tests().length())
                        .as("reason for leaving out case %s", one.name())
                        .isGreaterThan(20);
                continue;
            }
            for (String test : one.tests().split(" ", -1)) {
                String[] parts = test.split("#", -1);
                Optional<String> source = source(parts[0]);
                assertThat(source)
                        .as("case %s: class %s exists", one.name(), parts[0])
                        .isPresent();
                assertThat(Pattern.compile(
                                        "@(Test|ParameterizedTest)\\b((?!\\n\\n).)*void " + parts[1] + "\\(",
                                        Pattern.DOTALL)
                                .matcher(source.get())
                                .find())
                        .as("case %s: %s is a test", one.name(), test)
                        .isTrue();
            }
        }
    }

    @Test
    void caseListContainsEveryRequiredCaseExactlyOnce() throws IOException {
        List<String> expected = Stream.of(
                        IntStream.rangeClosed(36, 55),
                        IntStream.rangeClosed(63, 71),
                        IntStream.rangeClosed(79, 88),
                        IntStream.rangeClosed(107, 136))
                .flatMap(range -> range.mapToObj(Integer::toString))
                .toList();
        List<String> all = new ArrayList<>(expected);
        IntStream.rangeClosed(1, 28).forEach(number -> all.add("B" + number));
        List<String> listed = cases().stream().map(Case::name).toList();
        assertThat(listed).containsAll(all);
        Set<String> once = new HashSet<>(listed);
        assertThat(listed).as("each case is listed once").hasSameSizeAs(once);
    }
}

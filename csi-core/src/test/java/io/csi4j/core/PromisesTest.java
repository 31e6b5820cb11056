package io.csi4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of promises explains each number that the code uses, and comments use none. */
class PromisesTest {
    private static final Pattern CITED = Pattern.compile("\\b[ISXN][1-9][0-9]?\\b");
    private static final Pattern REPORTED = Pattern.compile("(?m)^\\| ([ISXN][1-9][0-9]?) \\| \\S.*\\|$");

    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*.*?\\*/|(?m)^\\s*//[^\\n]*$");

    private static Set<String> cited(Path file) {
        try {
            Set<String> numbers = new TreeSet<>();
            Matcher matcher = CITED.matcher(Files.readString(file));
            while (matcher.find()) {
                numbers.add(matcher.group());
            }
            return numbers;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> mainCode() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("..").toRealPath())) {
            String main = Path.of("src", "main", "java").toString();
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains(main))
                    .toList();
        }
    }

    @Test
    void promisesPageListsEveryPromiseNumberThatMainCodeUses() throws IOException {
        Set<String> reported = new TreeSet<>();
        Matcher matcher = REPORTED.matcher(Files.readString(Path.of("..", "docs", "promises.md")));
        while (matcher.find()) {
            assertThat(reported.add(matcher.group(1)))
                    .as("promise %s is listed once", matcher.group(1))
                    .isTrue();
        }
        Set<String> cited = new TreeSet<>();
        mainCode().forEach(file -> cited.addAll(cited(file)));
        assertThat(cited).contains("I1", "I12", "N6");
        assertThat(reported).containsAll(cited);
    }

    @Test
    void commentsContainNoPromiseNumbers() throws IOException {
        for (Path file : mainCode()) {
            Matcher comment = COMMENT.matcher(Files.readString(file));
            while (comment.find()) {
                assertThat(CITED.matcher(comment.group()).results())
                        .as("%s: %s", file.getFileName(), comment.group())
                        .isEmpty();
            }
        }
    }
}

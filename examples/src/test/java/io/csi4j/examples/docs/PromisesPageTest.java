package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the tests which the page of promises names exist, and that the build runs them. */
class PromisesPageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([ISXN]\\d+) \\| [^|]+ \\|(.*)\\|$");
    private static final Pattern NAMED = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final Pattern TEST = Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory)\\b");

    private final Map<String, String> classes = new HashMap<>();

    PromisesPageTest() {
        for (Path source : ProjectFiles.sources()) {
            String name = source.getFileName().toString();
            if (name.endsWith("Test.java") && source.toString().contains("/src/test/java/")) {
                classes.merge(name.replace(".java", ""), ProjectFiles.read(source), (one, other) -> one + other);
            }
        }
    }

    @Test
    void eachPromiseNamesTestsThatBuildRuns() {
        List<String> wrong = new ArrayList<>();
        int promises = 0;
        Matcher row = ROW.matcher(ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/promises.md")));
        while (row.find()) {
            promises++;
            List<String> named = NAMED.matcher(row.group(2))
                    .results()
                    .filter(test -> !runs(test.group(1), test.group(2)))
                    .map(test -> row.group(1) + ": " + test.group())
                    .toList();
            wrong.addAll(named);
            if (!NAMED.matcher(row.group(2)).find()) {
                wrong.add(row.group(1) + " names no test");
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(promises).isGreaterThan(75);
    }

    @Test
    void missingUnmarkedAndDisabledMethodsDoNotRun() {
        classes.put("OneTest", """
                class OneTest {
                    @Test
                    void runs() {}

                    void helper() {}

                    @Disabled("later")
                    @Test
                    void sleeps() {}
                }
                """);
        classes.put("TwoTest", """
                @Disabled
                class TwoTest {
                    @Test
                    void runs() {}
                }
                """);
        assertThat(runs("OneTest", "runs")).isTrue();
        assertThat(runs("OneTest", "helper")).isFalse();
        assertThat(runs("OneTest", "sleeps")).isFalse();
        assertThat(runs("OneTest", "absent")).isFalse();
        assertThat(runs("TwoTest", "runs")).isFalse();
        assertThat(runs("AbsentTest", "runs")).isFalse();
    }

    /** Returns whether a class has a test method with this name, and neither the method nor the class is disabled. */
    private boolean runs(String className, String method) {
        String code = classes.getOrDefault(className, "");
        Matcher found =
                Pattern.compile("\\n    (?! )[\\w<>?, ]*\\b" + method + "\\(").matcher(code);
        if (!found.find() || code.split("\\bclass ", 2)[0].contains("@Disabled")) {
            return false;
        }
        String before = code.substring(0, found.start() + 1);
        int end = Math.max(before.lastIndexOf("\n    }\n"), before.lastIndexOf("{}\n\n"));
        String annotations = before.substring(Math.max(0, Math.max(end, before.lastIndexOf("\n\n"))));
        return TEST.matcher(annotations).find() && !annotations.contains("@Disabled");
    }
}

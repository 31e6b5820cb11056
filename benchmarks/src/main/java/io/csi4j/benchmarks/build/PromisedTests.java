package io.csi4j.benchmarks.build;

import io.csi4j.benchmarks.build.TestReport.Run;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that the tests of {@code docs/promises.md} ran, or were skipped because of the machine. */
final class PromisedTests {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([ISXN]\\d+) \\| [^|]+ \\|(.*)\\|$");
    private static final Pattern NAMED = Pattern.compile("`(\\w+\\.\\w+)`");

    private PromisedTests() {}

    /**
     * Returns a line for each test of the page that has no report.
     *
     * @param page the text of the page
     * @param runs the entries of all reports
     */
    static List<String> problems(String page, List<Run> runs) {
        Set<String> reported =
                runs.stream().map(run -> run.testClass() + "." + run.method()).collect(Collectors.toSet());
        List<MatchResult> rows = ROW.matcher(page).results().toList();
        if (rows.isEmpty()) {
            return List.of("docs/promises.md has no row of a promise");
        }
        return rows.stream().flatMap(row -> missing(row, reported)).toList();
    }

    private static Stream<String> missing(MatchResult row, Set<String> reported) {
        return NAMED.matcher(row.group(2))
                .results()
                .map(named -> named.group(1))
                .filter(test -> !reported.contains(test) && !reported.contains(test.replaceFirst("\\w+$", "")))
                .map(test -> "Promise " + row.group(1) + " of docs/promises.md is held by " + test
                        + ", which no report shows to have run");
    }
}

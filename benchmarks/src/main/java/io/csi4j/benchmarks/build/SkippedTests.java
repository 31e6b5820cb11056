package io.csi4j.benchmarks.build;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import io.csi4j.benchmarks.build.TestReport.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last step of a build with tests: prints the skipped tests of all modules by what they need. It fails if a test was
 * skipped for another reason, or if a test that holds a promise has no report.
 */
public final class SkippedTests {
    private static final String LINE = "=".repeat(100);

    private SkippedTests() {}

    /**
     * Prints the list.
     *
     * @param args the root of the repository; the start of the build, as ISO 8601 in UTC; whether the build runs
     *     {@code all} tests
     * @throws IllegalStateException if a test was skipped for another reason than a need, or has to run and did not
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        Instant start = Instant.parse(args[1]);
        List<Run> runs = TestReport.runs(root);
        // A class whose report is from before the start may have been removed.
        List<Run> now =
                runs.stream().filter(run -> !run.written().isBefore(start)).toList();
        System.out.println(text(now));
        List<String> problems = new ArrayList<>(problems(now));
        if (args[2].equals("all")) {
            // A build that resumes an earlier one has the reports of that one, too.
            problems.addAll(PromisedTests.problems(Files.readString(root.resolve("docs/promises.md")), runs));
        }
        if (!problems.isEmpty()) {
            throw new IllegalStateException(String.join("\n", problems));
        }
    }

    /** Returns a line for each test that was skipped for another reason than a need of {@link Need}. */
    static List<String> problems(List<Run> runs) {
        return runs.stream()
                .filter(run -> run.skipReason()
                        .filter(reason -> Need.of(reason).isEmpty())
                        .isPresent())
                .map(run -> run.module() + " " + run.testClass() + "." + run.method()
                        + " was skipped, and its reason states no need of the machine: "
                        + run.skipReason().get())
                .distinct()
                .toList();
    }

    static String text(List<Run> runs) {
        Map<String, List<Run>> skipped = runs.stream()
                .filter(run -> run.skipReason().isPresent())
                .collect(groupingBy(run -> run.skipReason().get(), () -> new TreeMap<>(order()), toList()));
        if (skipped.isEmpty()) {
            return String.join("\n", "", LINE, "All " + runs.size() + " tests ran, none was skipped.", LINE, "");
        }
        int count = skipped.values().stream().mapToInt(List::size).sum();
        List<String> lines = new ArrayList<>(List.of(
                "",
                LINE,
                "WARNING: " + count + " of " + runs.size()
                        + " tests were SKIPPED. This build has not shown what they test:"));
        skipped.forEach((reason, tests) -> {
            lines.add("%6d  %s".formatted(tests.size(), reason));
            tests.stream()
                    .map(run -> "        in " + run.module() + " " + run.testClass())
                    .distinct()
                    .sorted()
                    .forEach(lines::add);
        });
        lines.addAll(List.of(LINE, ""));
        return lines.stream().collect(joining("\n"));
    }

    /** Sorts needs as {@link Need} has them, after all other reasons. */
    private static Comparator<String> order() {
        return Comparator.comparing(
                        (String reason) -> Need.of(reason).map(Need::ordinal).orElse(-1))
                .thenComparing(Comparator.naturalOrder());
    }
}

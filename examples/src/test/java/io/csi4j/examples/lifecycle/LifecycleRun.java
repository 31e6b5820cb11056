package io.csi4j.examples.lifecycle;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The output of one run of the program. */
record LifecycleRun(int code, String out, String err) {
    private static final Pattern STEP =
            Pattern.compile(" *(\\d+)  (.{30}.*?)  (done|warning|skipped|failed) *( +\\d+(?:\\.\\d)? m?s)?(?:  (.*))?");

    /** One line of the output. */
    record Step(int number, String name, String outcome, String detail) {}

    List<Step> steps() {
        return out.lines()
                .map(STEP::matcher)
                .filter(Matcher::matches)
                .map(line -> new Step(
                        Integer.parseInt(line.group(1)),
                        line.group(2).strip(),
                        line.group(3),
                        line.group(5) == null ? "" : line.group(5).strip()))
                .toList();
    }

    List<String> names(String outcome) {
        return steps().stream()
                .filter(step -> step.outcome().equals(outcome))
                .map(Step::name)
                .toList();
    }

    List<String> done() {
        return names("done");
    }

    List<String> skipped() {
        return names("skipped");
    }

    List<String> failed() {
        return names("failed");
    }
}

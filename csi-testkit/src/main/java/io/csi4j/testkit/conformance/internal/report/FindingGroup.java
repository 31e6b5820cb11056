package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Finding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One deviation, and all checks that found it.
 *
 * @param finding the deviation with its rule and the plugin's message
 * @param results the results of the checks; at least one
 */
public record FindingGroup(Finding finding, List<CheckResult> results) {
    /** Creates a group; the list is copied. */
    public FindingGroup {
        results = List.copyOf(results);
    }

    /**
     * Returns the findings of a report, each once.
     *
     * @param failures whether to return the findings that fail checks; otherwise the warnings
     */
    public static List<FindingGroup> of(ConformanceReport report, boolean failures) {
        Map<Finding, List<CheckResult>> groups = new LinkedHashMap<>();
        for (CheckResult result : report.results()) {
            result.findings().stream()
                    .filter(finding -> finding.failure() == failures)
                    .distinct()
                    .forEach(finding -> groups.computeIfAbsent(finding, one -> new ArrayList<>())
                            .add(result));
        }
        List<FindingGroup> all = new ArrayList<>();
        groups.forEach((finding, results) -> all.add(new FindingGroup(finding, results)));
        return List.copyOf(all);
    }

    /** Returns the ids of the checks, with commas. */
    public String checkIds() {
        return String.join(
                ", ",
                results.stream().map(CheckResult::check).map(CheckInfo::id).toList());
    }
}

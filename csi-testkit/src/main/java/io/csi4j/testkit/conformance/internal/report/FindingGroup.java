package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.Finding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One deviation, with all rules that it deviates from and all checks that found it.
 *
 * @param findings the deviation with each of its rules; all have the same text and the same message of the plugin; at least one
 * @param results the results of the checks; at least one
 */
public record FindingGroup(List<Finding> findings, List<CheckResult> results) {
    /** Creates a group; the lists are copied. */
    public FindingGroup {
        findings = List.copyOf(findings);
        results = List.copyOf(results);
    }

    /** Equal parts make findings one deviation, whatever rules the checks quote. */
    private record Deviation(String text, String message) {}

    /**
     * Returns the deviations of a report, each once.
     *
     * @param failures whether to return the findings that fail checks; otherwise the warnings
     */
    public static List<FindingGroup> of(ConformanceReport report, boolean failures) {
        Map<Deviation, Set<Finding>> findings = new LinkedHashMap<>();
        Map<Deviation, Set<CheckResult>> results = new LinkedHashMap<>();
        for (CheckResult result : report.results()) {
            for (Finding finding : result.findings()) {
                if (finding.failure() == failures) {
                    Deviation deviation = new Deviation(finding.text(), finding.message());
                    findings.computeIfAbsent(deviation, one -> new LinkedHashSet<>())
                            .add(finding);
                    results.computeIfAbsent(deviation, one -> new LinkedHashSet<>())
                            .add(result);
                }
            }
        }
        List<FindingGroup> all = new ArrayList<>();
        findings.forEach((deviation, same) ->
                all.add(new FindingGroup(List.copyOf(same), List.copyOf(results.getOrDefault(deviation, Set.of())))));
        return List.copyOf(all);
    }

    /** Returns the text of the deviation. */
    public String text() {
        return findings.get(0).text();
    }

    /** Returns the plugin's own error message; empty if there is none. */
    public String message() {
        return findings.get(0).message();
    }

    /** Returns the deviation once for each rule that a check quoted; a finding about this machine has none. */
    public List<Finding> withRules() {
        return findings.stream().filter(finding -> !finding.rule().isEmpty()).toList();
    }

    /** Returns the ids of the checks, with commas. */
    public String checkIds() {
        return String.join(
                ", ",
                results.stream().map(CheckResult::check).map(CheckInfo::id).toList());
    }
}

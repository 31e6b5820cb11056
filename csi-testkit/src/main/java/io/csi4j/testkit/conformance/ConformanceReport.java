package io.csi4j.testkit.conformance;

import io.csi4j.testkit.conformance.internal.report.HtmlReport;
import io.csi4j.testkit.conformance.internal.report.JUnitReport;
import java.time.Duration;
import java.util.List;

/**
 * The results of a run.
 *
 * @param endpoint the address of the plugin
 * @param plugin the name of the plugin
 * @param version the vendor version of the plugin
 * @param results the results in the order of the checks
 * @param notRun how many selected checks have no result, because the plugin died or the run was interrupted
 * @param duration the time of the whole run
 * @param completed whether the run came to its end; false after an interruption
 */
public record ConformanceReport(
        String endpoint,
        String plugin,
        String version,
        List<CheckResult> results,
        int notRun,
        Duration duration,
        boolean completed) {
    /** Creates a report; the list is copied. */
    public ConformanceReport {
        results = List.copyOf(results);
    }

    /** Returns whether all selected checks ran and none failed. */
    public boolean passed() {
        return completed && notRun == 0 && count(CheckOutcome.FAILED) == 0;
    }

    /** Returns the number of checks that had the given outcome. */
    public int count(CheckOutcome outcome) {
        return (int)
                results.stream().filter(result -> result.outcome() == outcome).count();
    }

    /**
     * Returns the results as one HTML page that loads nothing from elsewhere; every text that came from the plugin is
     * escaped.
     */
    public String toHtml() {
        return HtmlReport.of(this);
    }

    /** Returns the results in the XML format of JUnit, which build servers read. */
    public String toJUnitXml() {
        return JUnitReport.of(this);
    }
}

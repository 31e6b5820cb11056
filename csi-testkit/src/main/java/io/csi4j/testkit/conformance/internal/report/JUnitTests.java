package io.csi4j.testkit.conformance.internal.report;

import io.csi4j.testkit.conformance.CheckOutcome;
import io.csi4j.testkit.conformance.CheckResult;
import io.csi4j.testkit.conformance.internal.Check;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/** Turns checks into tests of JUnit. The only class that needs JUnit, which command line users do not have. */
public final class JUnitTests {
    private JUnitTests() {}

    /**
     * Returns the tests, grouped by topic.
     *
     * @param checks the checks
     * @param runner runs one of them
     */
    public static Stream<DynamicNode> of(List<Check> checks, Function<Check, CheckResult> runner) {
        Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
        for (Check check : checks) {
            groups.computeIfAbsent(check.info().group(), group -> new ArrayList<>())
                    .add(DynamicTest.dynamicTest(check.id() + ": " + check.title(), () -> verify(runner.apply(check))));
        }
        return groups.entrySet().stream()
                .map(group -> DynamicContainer.dynamicContainer(group.getKey(), group.getValue()));
    }

    private static void verify(CheckResult result) {
        if (result.outcome() == CheckOutcome.FAILED) {
            Assertions.fail(result + "\n" + JUnitReport.details(result));
        }
        Assumptions.assumeFalse(result.outcome() == CheckOutcome.SKIPPED, result::reason);
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of cases that claims, releases and placement have to get right: each has a test, and that test is there. */
class CasesTest {
    @Test
    void everyCaseHasTestsThatRunOrReasonWhyItHasNone() throws IOException {
        for (CaseList.Case one : CaseList.cases()) {
            assertThat(one.meaning()).as("case %s", one.name()).isNotBlank();
            assertThat(one.tests().length())
                    .as("tests of case %s, or the reason why it has none", one.name())
                    .isGreaterThan(20);
        }
        assertThat(CaseList.testsThatWouldNotRun(type -> !type.startsWith("io.csi4j.state.")))
                .isEmpty();
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
        List<String> listed = CaseList.cases().stream().map(CaseList.Case::name).toList();
        assertThat(listed).containsAll(all);
        Set<String> once = new HashSet<>(listed);
        assertThat(listed).as("each case is listed once").hasSameSizeAs(once);
    }
}
